"""A signed-in tab of a real browser, which keeps whatever went wrong in it."""

from urllib.parse import urlsplit

PATIENCE_MS = 60_000  # what is waited for is there at once, unless others have the machine


def signed_in(browser, served, **options):
    """A browser with nothing loaded yet, for tabs."""
    made = browser.new_context(base_url=served.address, **options)
    made.set_default_timeout(PATIENCE_MS)
    if served.cookie:
        made.add_cookies([served.cookie])
    return made


class Tab:
    """In a browser of its own, or in `context`, which others use after it."""

    def __init__(self, browser, served, expect_errors=False, context=None, **options):
        self.trouble = []
        self.expect_errors = expect_errors
        self.shares = context is not None
        self.context = context or signed_in(browser, served, **options)
        self.page = self.context.new_page()
        if self.shares:
            self.forget(served.address)
        self.page.on("request", lambda request: self.asked(request.url))
        self.page.on("websocket", lambda socket: self.asked(socket.url))
        self.page.on("pageerror", lambda error: self.trouble.append(f"page error: {error}"))
        self.page.on("console", self.said)

    def forget(self, address):
        """What pages keep in the browser, of tabs before this one."""
        kept = {"origin": address, "storageTypes": "local_storage"}
        session = self.context.new_cdp_session(self.page)
        session.send("Storage.clearDataForOrigin", kept)
        session.detach()

    def asked(self, address):
        parts = urlsplit(address)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.trouble.append(f"a request left the machine: {address}")

    def said(self, message):
        # A page that is not there is an error to the console, and what some tests are about.
        if message.type == "error" and "status of 4" not in message.text:
            self.trouble.append(f"console: {message.text}")

    def close(self):
        self.page.close() if self.shares else self.context.close()
        away = [line for line in self.trouble if line.startswith("a request")]
        assert not (away if self.expect_errors else self.trouble)
