"""What filters a panel: tabs, a search, an order, a choice. All of it is in the address's query.

Knows nothing of what is listed.
"""

from collections.abc import Mapping, Sequence

from warpbook.web.markup import Markup, attributes, h, join, query_of
from warpbook.web.visit import Query


def tabs(
    names: Sequence[tuple[str, str]],
    here: str,
    counts: Mapping[str, int],
    query: Query,
    key: str,
) -> Markup:
    """Ways to filter a panel, each with how many there are."""
    made = join(
        h(
            '<a data-query href="{}"{}>{} <span class="count">{}</span></a>',
            query_of(dict(query), **{key: name}),
            attributes(aria_current="true" if name == here else None),
            label,
            f"{counts.get(name, 0):,}",
        )
        for name, label in names
    )
    return h('<nav class="tabs" aria-label="filter">{}</nav>', made)


def searching(query: Query, orders: Sequence[tuple[str, str]], label: str) -> Markup:
    """Text to look for, and the order; the first order is that when nobody asked."""
    order = query.get("sort", orders[0][0])
    options = join(
        h('<option value="{}"{}>{}</option>', value, attributes(selected=value == order), shown)
        for value, shown in orders
    )
    return h(
        '<form data-query role="search"><input type="search" name="search" value="{}" '
        'placeholder="{}" aria-label="{}"><label>by <select name="sort">{}</select></label></form>',
        query.get("search", ""), label, label, options,
    )  # fmt: skip


def select(
    name: str, label: str, chosen: str, options: Sequence[str], any_value: str = "",
    any_label: str = "any",
) -> Markup:  # fmt: skip
    """`any_value` is what leaves the choice open."""
    listed = [*options]
    if chosen and chosen not in (any_value, *listed):
        listed.insert(0, chosen)
    made = join(
        h('<option value="{}"{}>{}</option>', one, attributes(selected=one == chosen), one[:80])
        for one in listed
    )
    return h(
        '<label>{} <select name="{}"><option value="{}">{}</option>{}</select></label>',
        label, name, any_value, any_label, made,
    )  # fmt: skip
