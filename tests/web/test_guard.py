"""Who is let through to an app over http. The app beneath tells what it sees."""

import logging
import socket

import httpx
import pytest
from guarded import FOREIGN, PAGE, opened
from serving import free_socket, serving

from warpbook.web.guard import LARGEST_BODY, Guard
from warpbook.web.keys import Keys


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("book")) as made:
        yield made


@pytest.fixture
def seen(door):
    """What reaches the app during a test."""
    door.app.seen.clear()
    return door.app.seen


def test_a_program_with_the_token_is_let_through(door):
    assert door.client.get("/api/book", headers=door.token).text == "0 bytes"


def test_a_browser_with_a_cookie_reads_and_changes(door):
    assert door.client.get("/", headers=door.cookie).status_code == 200
    headers = door.cookie | door.origin | door.json
    assert door.client.post("/api/x", headers=headers, content=b"{}").text == "2 bytes"


@pytest.mark.parametrize("path", ["/", "/api/book", "/api/events", "/assets/a.css", "/nowhere"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_without_a_token_nothing_is_seen(door, seen, path, method):
    assert door.client.request(method, path, headers=door.json).status_code == 401
    assert seen == []


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer"},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic dTpw"},
        {"cookie": "warpbook_1=x"},
        {"cookie": "warpbook=; warpbook_{port}=x.y.z"},
    ],
)
def test_a_wrong_token_or_cookie_is_none(door, seen, headers):
    headers = {name: value.replace("{port}", str(door.port)) for name, value in headers.items()}
    assert door.client.get("/", headers=headers).status_code == 401
    assert seen == []


def test_a_cookie_of_another_port_or_book_is_none(door, tmp_path):
    other = {"cookie": f"warpbook_{door.port}={Keys.of_book(tmp_path).make_session()}"}
    assert door.client.get("/", headers=other).status_code == 401
    mine = {"cookie": f"warpbook_{door.port + 1}={door.keys.make_session()}"}
    assert door.client.get("/", headers=mine).status_code == 401


def test_refusals_are_in_words_for_people_and_json_for_programs(door):
    page = door.client.get("/", headers={"accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "warpbook link" in page.text
    found = door.client.get("/api/book").json()
    assert found["error"] == "not_signed_in"
    assert "warpbook link" in found["message"]


def test_a_visit_from_another_site_is_offered_the_way_on(door):
    headers = {"accept": "text/html", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    page = door.client.get("/runs/R-1?a=%22%3E<b>", headers=headers)
    assert page.status_code == 401
    assert '<a href="/runs/R-1?a=%22%3E' in page.text
    assert "<b>" not in page.text


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil",
     "0.0.0.0:{port}", "localhost", "", "user@127.0.0.1:{port}"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/book", "/enter?code=x"])
def test_a_foreign_host_is_refused(door, seen, host, path):
    headers = door.token | door.cookie | {"host": host.replace("{port}", str(door.port))}
    assert door.client.get(path, headers=headers).status_code in (400, 403)
    assert seen == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "gpu-box"])
def test_our_own_names_are_known(door, host):
    headers = door.token | {"host": f"{host}:{door.port}"}
    assert door.client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/api/try")])
@pytest.mark.parametrize("by", ["token", "cookie"])
def test_a_foreign_origin_is_refused(door, seen, origin, method, path, by):
    foreign = {"origin": origin.replace("{port}", str(door.port))}
    headers = getattr(door, by) | door.json | foreign
    assert door.client.request(method, path, headers=headers, content=b"{}").status_code == 403
    assert seen == []


def test_a_change_by_cookie_needs_an_origin(door, seen):
    answer = door.client.post("/api/try", headers=door.cookie | door.json, content=b"{}")
    assert (answer.status_code, answer.json()["error"]) == (403, "no_origin")
    assert seen == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_embeds_is_refused(door, seen, site):
    headers = door.cookie | {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
    assert door.client.get("/api/book", headers=headers).status_code == 403
    assert seen == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json",
                                  "multipart/form-data; boundary=application/json"])  # fmt: skip
def test_changes_are_json(door, seen, kind):
    headers = door.token | {"content-type": kind}
    answer = door.client.post("/api/notes", headers=headers, content=b"{}")
    assert (answer.status_code, answer.json()["error"]) == (415, "bad_input")
    assert seen == []


def test_json_may_say_its_charset(door):
    headers = door.token | {"content-type": "Application/JSON; charset=utf-8"}
    assert door.client.post("/api/notes", headers=headers, content=b"{}").status_code == 200


def test_pages_and_the_polled_socket_take_no_posts(door, seen):
    headers = door.cookie | door.origin | door.json
    assert door.client.post("/page", headers=headers, content=b"{}").status_code == 405
    polled = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    for method in ("GET", "POST"):
        assert door.client.request(method, polled, headers=headers).status_code == 400
    assert seen == []


@pytest.mark.parametrize(
    "path",
    ["/a/../b", "/..", "/api/runs/R-1/files/../../book.db", "/a/./b", "/a%2fb", "/a%2Fb", "/a%5cb",
     "/a\\b", "/a%00b", "/%0d%0aset-cookie:x", "/%2e%2e/x", "/x%7f", "//../x", "/" + 9000 * "a"],
)  # fmt: skip
def test_paths_that_lead_around_are_refused(door, seen, path):
    assert raw(door, f"GET {path} HTTP/1.1", door.token) in (400, 414)
    assert seen == []


@pytest.mark.parametrize(
    ("extra", "status"),
    [
        ([("x", "y")] * 200, 431),
        ([("x", "y" * 40_000)], 431),
        ([("host", "evil.example")], 400),
        ([("origin", "http://a"), ("origin", "http://b")], 400),
    ],
)
def test_absurd_headers_are_refused(door, seen, extra, status):
    assert raw(door, "GET / HTTP/1.1", [*door.token.items(), *extra]) == status
    assert seen == []


def raw(door, line, headers, body=b""):
    """The status of a request as it is written here; headers are a dict or pairs."""
    pairs = headers.items() if isinstance(headers, dict) else headers
    lines = [line, f"Host: 127.0.0.1:{door.port}", *(f"{k}: {v}" for k, v in pairs)]
    with socket.create_connection(("127.0.0.1", door.port), timeout=60) as link:
        link.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return int(link.recv(1000).split()[1])


def test_a_body_over_the_limit_is_not_read(door, seen):
    headers = door.token | door.json
    assert raw(door, "POST /api/x HTTP/1.1", headers | {"Content-Length": LARGEST_BODY + 1}) == 413
    assert raw(door, "POST /api/x HTTP/1.1", headers | {"Content-Length": 10**14}) == 413
    chunk = b"%x\r\n" % 65536 + 65536 * b" " + b"\r\n"
    endless = headers | {"Transfer-Encoding": "chunked"}
    assert raw(door, "POST /api/x HTTP/1.1", endless, 17 * chunk) == 413
    assert seen == []


def test_a_body_at_the_limit_is_read(door):
    body = LARGEST_BODY * b" "
    answer = door.client.post("/api/x", headers=door.token | door.json, content=body)
    assert answer.text == f"{LARGEST_BODY} bytes"


def test_a_body_that_breaks_off_is_not_half_read(door, seen):
    headers = door.token | door.json | {"Content-Length": 100}
    lines = ["POST /api/x HTTP/1.1", f"Host: 127.0.0.1:{door.port}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", door.port), timeout=60) as link:
        link.sendall("\r\n".join([*lines, "", ""]).encode() + b"{}")
    door.client.get("/page", headers=door.token)
    assert [scope["path"] for scope in seen] == ["/page"]


def test_a_link_signs_in_once(door, seen):
    code = door.keys.make_code()
    first = door.client.get(f"/enter?code={code}")
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie, *flags = first.headers["set-cookie"].split("; ")
    assert set(flags) == {"Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"}
    assert cookie.startswith(f"warpbook_{door.port}=")
    assert door.client.get("/page", headers={"cookie": cookie}).status_code == 200
    door.client.cookies.clear()
    second = door.client.get(f"/enter?code={code}", headers={"accept": "text/html"})
    assert second.status_code == 403
    assert "set-cookie" not in second.headers
    assert "warpbook link" in second.text
    again = door.client.get(f"/enter?code={code}", headers={"cookie": cookie})
    assert (again.status_code, again.headers.get("set-cookie")) == (303, None)
    assert {scope["path"] for scope in seen} == {"/page"}


def test_a_link_on_another_page_is_left_by_a_page_of_ours(door):
    """A browser that comes from elsewhere keeps its new cookie back when it is redirected."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    entered = door.client.get(f"/enter?code={door.keys.make_code()}", headers=headers)
    door.client.cookies.clear()
    assert (entered.status_code, entered.headers["cache-control"]) == (200, "no-store")
    assert '<meta http-equiv="refresh" content="0; url=/">' in entered.text
    assert "code" not in entered.text
    assert "SameSite=Strict" in entered.headers["set-cookie"]


def test_a_look_at_a_link_does_not_use_it_up(door):
    code = door.keys.make_code()
    assert door.client.head(f"/enter?code={code}").status_code == 405
    assert door.client.post(f"/enter?code={code}").status_code == 405
    assert door.client.get(f"/enter?code={code}", headers={"host": "evil"}).status_code == 403
    assert door.client.get(f"/enter?code={code}").status_code == 303
    door.client.cookies.clear()


@pytest.mark.parametrize("query", ["", "?", "?code=", "?code=a&code=b", "?" + "&".join(1000 * "a")])
def test_without_a_code_nobody_enters(door, query):
    assert door.client.get(f"/enter{query}").status_code == 403


def test_codes_tokens_and_cookies_are_in_no_log(door, caplog):
    caplog.set_level(logging.DEBUG)
    code = door.keys.make_code()
    with free_socket() as bound:
        port = bound.getsockname()[1]
        guard = Guard(door.app, port, [], door.keys)
        with serving(guard, bound, lifespan="off", access_log=True) as server:
            server.config.configure_logging()
            for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "uvicorn.asgi"):
                logging.getLogger(name).setLevel(logging.DEBUG)
                logging.getLogger(name).propagate = True
            address = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
                entered = client.get(f"/enter?code={code}")
                client.get("/api/x", headers=door.token)
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("uvicorn"))
    assert '"GET /enter HTTP/1.1" 303' in ours
    assert code not in ours
    assert door.keys.token not in ours
    assert entered.cookies[f"warpbook_{port}"] not in ours


def test_a_restart_keeps_browsers_signed_in(door):
    cookie = door.cookie
    with free_socket() as bound:
        guard = Guard(door.app, door.port, [], Keys.of_book(door.keys.folder.parent))
        with serving(guard, bound, lifespan="off"):
            headers = cookie | {"host": f"127.0.0.1:{door.port}"}
            address = f"http://127.0.0.1:{bound.getsockname()[1]}/"
            answer = httpx.get(address, headers=headers, trust_env=False, timeout=60)
            assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/page", "/api/x", "/enter", "/a%00"])
@pytest.mark.parametrize("by", ["token", "nobody"])
def test_every_answer_says_what_a_browser_may_do(door, path, by):
    headers = door.client.get(path, headers=door.token if by == "token" else {}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy.split("; ")
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert not [name for name in headers if name.startswith("access-control-")]
    if path != "/page":
        assert headers["cache-control"] == "no-store"


def test_niceguis_own_scripts_get_a_nonce_of_their_own(door):
    answers = [door.client.get("/page", headers=door.token) for _ in range(2)]
    nonces = {
        a.headers["content-security-policy"].split("nonce-")[1].split("'")[0] for a in answers
    }
    assert len(nonces) == 2
    nonce = answers[1].headers["content-security-policy"].split("nonce-")[1].split("'")[0]
    marked = f'<script nonce="{nonce}"'
    assert answers[1].text == (
        f'<html>{marked}>1</script>{marked} src="x.js"></script><scripty></html>'
    )


def test_scripts_in_any_other_answer_get_none(door):
    assert door.client.get("/other-page", headers=door.token).content == PAGE


def test_the_app_sees_no_proxys_words_and_no_wish_for_compressed_pages(door, seen):
    sent = {"x-forwarded-prefix": "/evil", "forwarded": "host=evil", "accept": "text/html"}
    door.client.get("/page", headers=door.token | sent)
    names = {name for name, _ in seen[0]["headers"]}
    assert not names & {b"x-forwarded-prefix", b"forwarded", b"accept-encoding"}
