"""Sites that give one thing several addresses: papers, videos, code and threads.

Takes a host in small letters, a path and the pairs of a query that `addresses` has cleaned; knows
nothing of schemes, ports or tracking.
"""

import re
from collections.abc import Sequence

Pairs = Sequence[tuple[str, str]]

ARXIV = re.compile(
    r"/(?:abs|pdf|html|ps|format|e-print|src)/((?:[a-z-]+(?:\.[a-z]{2})?/\d{7})|\d{4}\.\d{4,5})"
    r"(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
TWITTER = ("x.com", "twitter.com", "nitter.net", "fxtwitter.com", "vxtwitter.com", "fixupx.com")
VIDEO_ID = r"[A-Za-z0-9_-]{6,20}"
VIDEO = re.compile(rf"/(?:embed|shorts|live|v|e)/({VIDEO_ID})")


def known_site(host: str, path: str, pairs: Pairs) -> str | None:
    """Host and path of the one address, or None where the site is not known to have several."""
    for site in (arxiv, youtube, github, twitter, reddit, doi):
        if found := site(host, path, pairs):
            return found
    return None


def arxiv(host: str, path: str, pairs: Pairs) -> str | None:
    if host != "arxiv.org" and not host.endswith((".arxiv.org", "ar5iv.org", "alphaxiv.org")):
        return None
    found = ARXIV.fullmatch(path)
    return f"arxiv.org/abs/{found[1].lower()}" if found else None


def youtube(host: str, path: str, pairs: Pairs) -> str | None:
    video = None
    if host == "youtu.be":
        video = re.fullmatch(rf"/({VIDEO_ID})", path)
    elif host in ("youtube.com", "music.youtube.com", "youtube-nocookie.com"):
        asked = dict(pairs).get("v", "")
        named = re.fullmatch(f"({VIDEO_ID})", asked) if path == "/watch" else None
        video = named or VIDEO.fullmatch(path)
    return f"youtube.com/watch?v={video[1]}" if video else None


def github(host: str, path: str, pairs: Pairs) -> str | None:
    """Owner and repository in small letters; a file without its lines; an issue or pull request
    without the page of it."""
    parts = [part for part in path.split("/") if part]
    if host == "raw.githubusercontent.com" and len(parts) > 3:
        branch = parts[4:] if parts[2:4] == ["refs", "heads"] else parts[2:]
        parts = [*parts[:2], "blob", *branch]
    elif host != "github.com" or len(parts) < 2:
        return None
    owner, name, *rest = parts
    name = name.removesuffix(".git")
    home = f"github.com/{owner.lower()}/{name.lower()}"
    if not rest or (rest[0] == "tree" and rest[1:] in (["main"], ["master"], ["HEAD"])):
        return home
    if rest[0] in ("issues", "pull") and len(rest) > 1 and rest[1].isdecimal():
        return f"{home}/{rest[0]}/{rest[1]}"
    if rest[0] in ("blob", "tree", "discussions", "releases"):
        return "/".join([home, *rest])
    return None


def twitter(host: str, path: str, pairs: Pairs) -> str | None:
    if host not in TWITTER:
        return None
    if found := re.fullmatch(r"/(?:[^/]+|i/web)/status(?:es)?/(\d+)(?:/.*)?", path):
        return f"x.com/i/status/{found[1]}"
    return f"x.com{path.lower()}" if re.fullmatch(r"/\w{1,30}", path) else None


def reddit(host: str, path: str, pairs: Pairs) -> str | None:
    if host == "redd.it" and (found := re.fullmatch(r"/(\w+)", path)):
        return f"reddit.com/comments/{found[1].lower()}"
    if host != "reddit.com" and not host.endswith(".reddit.com"):
        return None
    if found := re.fullmatch(r"(?:/r/[^/]+|/user/[^/]+)?/comments/(\w+)(?:/.*)?", path):
        return f"reddit.com/comments/{found[1].lower()}"
    return f"reddit.com{path.lower()}" if re.fullmatch(r"/r/\w+", path) else None


def doi(host: str, path: str, pairs: Pairs) -> str | None:
    return f"doi.org{path.lower()}" if host in ("doi.org", "dx.doi.org") and path else None


def forwarded(host: str, path: str, pairs: Pairs) -> str:
    """Where a search engine's link leads on to; empty for any other."""
    if not re.fullmatch(r"google\.[a-z.]{2,6}", host) or path != "/url":
        return ""
    asked = dict(pairs)
    target = asked.get("q") or asked.get("url") or ""
    return target if re.match(r"https?://", target) else ""
