"""A signed-in tab of a real browser, which keeps whatever went wrong in it."""

from urllib.parse import urlsplit


class Tab:
    def __init__(self, browser, served, expect_errors=False, **options):
        self.trouble = []
        self.expect_errors = expect_errors
        self.context = browser.new_context(base_url=served.address, **options)
        self.context.set_default_timeout(15_000)
        if served.cookie:
            self.context.add_cookies([served.cookie])
        self.page = self.context.new_page()
        self.context.on("request", lambda request: self.asked(request.url))
        self.page.on("websocket", lambda socket: self.asked(socket.url))
        self.page.on("pageerror", lambda error: self.trouble.append(f"page error: {error}"))
        self.page.on("console", self.said)

    def asked(self, address):
        parts = urlsplit(address)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.trouble.append(f"a request left the machine: {address}")

    def said(self, message):
        # A page that is not there is an error to the console, and what some tests are about.
        if message.type == "error" and "status of 4" not in message.text:
            self.trouble.append(f"console: {message.text}")

    def close(self):
        self.context.close()
        away = [line for line in self.trouble if line.startswith("a request")]
        assert not (away if self.expect_errors else self.trouble)
