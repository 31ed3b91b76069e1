"""What changed since this browser last looked. It is empty here: `now.js` asks for it and fills it
in, since only the browser knows what it has seen."""

from warpbook.web.markup import Markup, h


def since(mark: str) -> Markup:
    """`mark` tells this book from others at the same address."""
    return h(
        '<section class="card since" id="since" data-book="{}" hidden aria-live="polite">'
        '<div class="head"><h2>Since you last looked</h2>'
        '<button type="button" data-seen>Seen</button></div><ul class="list"></ul></section>',
        mark,
    )
