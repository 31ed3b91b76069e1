"""Addresses of things to read: one canonical form for the many ways to write the same one.

Looks nothing up and never raises: whatever it is given has a canonical form. That form is for
comparing; what people open is the address as it was written.
"""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import SplitResult, parse_qsl, quote, unquote_to_bytes, urlencode, urlsplit

from warpbook.journal.reading.sites import forwarded, known_site

ELLIPSES = ("…", "...", "%E2%80%A6")
WEB = ("http", "https")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?=//)")
BARE_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d{1,5})?(?:[/?#]\S*)?")
SAFE = "!$&'()*+,;=:@-._~"
TRACKING = re.compile(
    r"utm_.*|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|twclid|ttclid|yclid|li_fat_id|igshid"
    r"|igsh|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|vero_(?:id|conv)|oly_(?:enc|anon)_id|ref_(?:src|url)"
    r"|spm|cmpid|__s|ck_subscriber_id|share_id|sharetype|shared?_(?:from|via)",
    re.IGNORECASE,
)
MOST_FORWARDS = 3
MOBILE = re.compile(r"(?:www|m|mobile|amp)\.")
HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
# A page's own name for the branch or the state of a file, not where a reader came from.
REF_MATTERS = ("git", "codeberg.org", "sr.ht")


def canonical(address: str) -> str:
    """The same text for addresses that lead to the same thing; empty for none."""
    seen = (c for c in address if not c.isspace() and unicodedata.category(c)[0] != "C")
    text = "".join(seen).strip("<>")
    if not text:
        return ""
    if cut(text):
        return f"{trimmed(text)}…"
    try:
        return of_web(text) or text
    except (ValueError, UnicodeError):
        return text


def cut(address: str) -> bool:
    """Whether it ends in an ellipsis: whoever copied it had only a part."""
    return address.rstrip().endswith(ELLIPSES)


def trimmed(address: str) -> str:
    """Without the ellipsis at its end."""
    found = address.rstrip()
    while found.endswith(ELLIPSES):
        for ellipsis in ELLIPSES:
            found = found.removesuffix(ellipsis)
    return found.rstrip(".")


def linkable(address: str) -> bool:
    """Whether a browser may be sent there: a whole address of the web, with a host."""
    if cut(address) or any(c.isspace() or unicodedata.category(c)[0] == "C" for c in address):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme.lower() in WEB and bool(parts.netloc)


def looks_like_one(text: str) -> bool:
    """Whether a word someone typed is an address rather than a title."""
    text = text.strip()
    if not text or any(c.isspace() for c in text):
        return False
    if SCHEME.match(text) or re.match(r"(?i)(arxiv|doi):\S", text):
        return True
    return bool(BARE_HOST.fullmatch(text)) and (text.lower().startswith("www.") or "/" in text)


def of_web(text: str) -> str | None:
    """None for what is no address of the web."""
    if found := re.fullmatch(r"(?i)(arxiv|doi):(\S+)", text):
        home = {"arxiv": "arxiv.org/abs", "doi": "doi.org"}[found[1].lower()]
        text = f"https://{home}/{found[2]}"
    if not SCHEME.match(text):
        if not BARE_HOST.fullmatch(text):
            return None
        text = f"https://{text}"
    for _ in range(MOST_FORWARDS):
        parts = urlsplit(text)
        if parts.scheme.lower() not in WEB:
            return None
        host, port = host_of(parts)
        if not HOST.fullmatch(host):
            return None
        path, pairs = path_of(parts.path), pairs_of(parts.query, host)
        onward = forwarded(host, path, pairs)
        if not onward:
            break
        text = onward
    if found_site := known_site(host, path, pairs):
        return f"https://{found_site}"
    query = urlencode(sorted(pairs), safe=SAFE.replace("&", "").replace("=", "").replace("+", ""))
    fragment = parts.fragment if parts.fragment.startswith(("/", "!")) else ""
    return "".join(
        [f"https://{host}{port}{path}", f"?{query}" * bool(query), f"#{fragment}" * bool(fragment)]
    )


def host_of(parts: SplitResult) -> tuple[str, str]:
    """The host in small ASCII letters without `www.` and the like, and `:port` if it is unusual."""
    where = parts.netloc.rpartition("@")[2]
    host, colon, port = where.rpartition(":")
    if not colon or not (port.isdecimal() or not port) or where.endswith("]"):
        host, port = where, ""
    host = ascii_host(host).rstrip(".")
    while (found := MOBILE.match(host)) and "." in host[found.end() :]:
        host = host[found.end() :]
    host = re.sub(r"^([a-z-]{2,12})\.m\.(wikipedia|wiktionary)\.", r"\1.\2.", host)
    usual = not port or int(port) in (80, 443)
    return host, "" if usual else f":{int(port)}"


def ascii_host(host: str) -> str:
    plain = unicodedata.normalize("NFKC", host).lower()
    if plain.isascii():
        return plain
    try:
        return plain.encode("idna").decode()
    except UnicodeError:
        return plain


def path_of(path: str) -> str:
    """With one way to write each character, `.` and `..` followed, and no slash at its end."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            kept = kept[:-1] or [""]
        elif part != ".":
            kept.append(quote(unquote_to_bytes(part), safe=SAFE))
    joined = "/".join(kept).rstrip("/")
    return joined if not joined or joined.startswith("/") else f"/{joined}"


def pairs_of(query: str, host: str) -> list[tuple[str, str]]:
    """What the query asks for, without what only says where a reader came from."""
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
    dropped = {"ref"} if not any(name in host for name in REF_MATTERS) else set()
    if host == "medium.com" or host.endswith(".medium.com"):
        dropped |= {"source", "sk"}
    if host.endswith(".substack.com"):
        dropped |= {"r", "triedRedirect"}
    return [pair for pair in pairs if pair[0] not in dropped and not TRACKING.fullmatch(pair[0])]


def kind_of(address: str) -> str:
    """What is most likely found there."""
    found = canonical(address).removeprefix("https://")
    host, _, path = found.partition("/")
    if re.fullmatch(r"[^/]+/[^/]+/issues/\d+|.*/-/issues/\d+", path) and is_code(host):
        return "issue"
    if re.fullmatch(r"[^/]+/[^/]+/pulls?/\d+|.*/-/merge_requests/\d+", path) and is_code(host):
        return "pr"
    if under(host, ("github.com", "gitlab.com", "codeberg.org", "sr.ht", "bitbucket.org")):
        return "code"
    if under(host, ("arxiv.org", "openreview.net", "doi.org", "aclanthology.org", "dl.acm.org")):
        return "paper"
    if under(host, ("youtube.com", "vimeo.com", "twitch.tv")):
        return "video"
    if under(host, ("x.com", "reddit.com", "news.ycombinator.com", "lobste.rs", "bsky.app")):
        return "thread"
    return "blog"


def is_code(host: str) -> bool:
    return under(host, ("github.com", "codeberg.org")) or "gitlab" in host


def under(host: str, sites: Iterable[str]) -> bool:
    return any(host == site or host.endswith(f".{site}") for site in sites)
