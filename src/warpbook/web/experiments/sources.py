"""The source of both arms, highlighted, and the difference between them."""

from warpbook.book.browse.arms import Shown, Text
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.source import difference, highlighted
from warpbook.web.words import word


def sources(baseline: Shown, change: Shown) -> Markup:
    if baseline.sha256 == change.sha256:
        body = h('<p class="muted">Both arms are the same.</p>') + arm("both arms", baseline)
        return show.section(h("Source"), body, id_="source")
    body = between(baseline, change) + arm("change", change) + arm("baseline", baseline)
    return show.section(h("Source"), body, id_="source")


def between(baseline: Shown, change: Shown) -> Markup:
    """What sets the change apart: files of one kind against each other, commands word for word."""
    made = []
    if baseline.command or change.command:
        names = ("baseline", "change")
        made.append(difference(baseline.command, change.command, names))
    for before, after in pairs(baseline, change):
        if before.text != after.text:
            names = (f"baseline {before.name}", f"change {after.name}")
            made.append(difference(before.text or "", after.text or "", names))
    if not made:
        return Markup("")
    return h("<details open><summary>What the change changes</summary>{}</details>", join(made))


def pairs(baseline: Shown, change: Shown) -> list[tuple[Text, Text]]:
    """Files of both arms that correspond: by name, or where each arm has one of a kind."""
    found = []
    for suffix in dict.fromkeys(one.suffix for one in change.texts):
        before = [one for one in baseline.texts if one.suffix == suffix and one.text is not None]
        after = [one for one in change.texts if one.suffix == suffix and one.text is not None]
        if len(before) == len(after) == 1:
            found.append((before[0], after[0]))
            continue
        named = {one.name: one for one in before}
        found += [(named[one.name], one) for one in after if one.name in named]
    return found


def arm(side: str, one: Shown) -> Markup:
    called = word(side) if side in ("change", "baseline") else h("{}", side)
    title = h("{}: <code>{}</code> <span class=muted>{}</span>", called, text(one.label, 200),
              one.sha256[:12])  # fmt: skip
    parts = [h("<pre><code>{}</code></pre>", text(one.command, 20_000))] if one.command else []
    parts += [file(each, len(one.texts) > 1 or bool(one.command)) for each in one.texts]
    if not parts:
        parts.append(h('<p class="muted">It has no text of its own.</p>'))
    return h("<details><summary>{}</summary>{}</details>", title, join(parts))


def file(one: Text, named: bool) -> Markup:
    name = h("<h3>{}</h3>", text(one.name, 300)) if named else ""
    if one.text is None:
        return h('{}<p class="muted">{}: {}</p>', name, text(one.name, 300), text(one.note, 600))
    return h("{}{}", name, highlighted(one.text, one.suffix))
