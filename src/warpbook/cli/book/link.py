"""`warpbook link`: a fresh link into the dashboard that runs, for a browser not signed in yet."""

import json as documents
from pathlib import Path

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import show_json
from warpbook.core.errors import Missing

PATIENCE_S = 10.0


@guarded
def link(
    book: options.BookFolder = None, json: options.Json = False, debug: options.Debug = False
) -> int:
    """Print a link into the running dashboard that signs a browser in, once, within 15 minutes."""
    from warpbook.book.folder import require_book

    found = fresh_link(require_book(book))
    if json:
        show_json({"link": found})
    else:
        print(found)
    return 0


def fresh_link(folder: Path) -> str:
    """As the dashboard of this book makes one, asked with the book's token."""
    from urllib.error import HTTPError, URLError
    from urllib.request import ProxyHandler, Request, build_opener

    from warpbook.web.keys import Keys, running_address

    address = running_address(folder)
    if address is None:
        raise Missing(f"no dashboard of {folder} runs; start it with: warpbook up --book {folder}")
    request = Request(
        f"{address}/api/links",
        data=b"{}",
        method="POST",
        headers={
            "Authorization": f"Bearer {Keys.of_book(folder).token}",
            "Content-Type": "application/json",
        },
    )
    try:
        # Whatever proxy the environment names: this stays on the machine.
        with build_opener(ProxyHandler({})).open(request, timeout=PATIENCE_S) as answer:
            return str(documents.load(answer)["link"])
    except HTTPError as error:
        raise Missing(f"the dashboard at {address} refuses: {error.code} {error.reason}") from None
    except (URLError, OSError) as error:
        raise Missing(f"the dashboard at {address} does not answer: {error}") from None
