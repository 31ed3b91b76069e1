"""One thing to read has one canonical address, however it was copied."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.journal.reading.addresses import (
    canonical,
    cut,
    kind_of,
    linkable,
    looks_like_one,
    trimmed,
)

SAME = {
    "https://example.org/matmul": [
        "http://example.org/matmul",
        "https://www.example.org/matmul/",
        "HTTPS://EXAMPLE.ORG:443/matmul",
        "http://example.org:80/matmul#part-3",
        "example.org/matmul?utm_source=x&utm_medium=y&fbclid=1&gclid=2&ref=hn",
        "https://m.example.org/a/../matmul",
        "https://someone@example.org./m%61tmul",
        " <https://example.org/matmul> ",
        "https://www.google.com/url?q=https%3A%2F%2Fexample.org%2Fmatmul&sa=D",
    ],
    "https://example.org/a%20b?x=1&y=%C3%A9": [
        "https://example.org/a%20b/?y=%c3%a9&x=1",
        "https://example.org/a%20b?x=1&y=é&mc_cid=3",
    ],
    "https://xn--bcher-kva.example/x": [
        "https://BÜCHER.example/x",
        "https://xn--BCHER-kva.example/x",
    ],
    "https://arxiv.org/abs/2205.14135": [
        "https://arxiv.org/pdf/2205.14135v2.pdf",
        "http://www.arxiv.org/abs/2205.14135v1",
        "https://export.arxiv.org/abs/2205.14135",
        "https://arxiv.org/html/2205.14135v3",
        "https://ar5iv.labs.arxiv.org/html/2205.14135",
        "arXiv:2205.14135v2",
    ],
    "https://arxiv.org/abs/cs/0102003": ["http://arxiv.org/pdf/cs/0102003v1"],
    "https://youtube.com/watch?v=dQw4w9WgXcQ": [
        "https://youtu.be/dQw4w9WgXcQ?t=42&si=abc",
        "https://www.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ&t=1s",
        "https://m.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://www.youtube.com/embed/dQw4w9WgXcQ",
        "https://youtube.com/shorts/dQw4w9WgXcQ/",
    ],
    "https://github.com/nvidia/cutlass/blob/main/README.md": [
        "https://github.com/NVIDIA/cutlass/blob/main/README.md#L10-L20",
        "https://github.com/nvidia/CUTLASS/blob/main/README.md?plain=1#L3",
        "https://raw.githubusercontent.com/NVIDIA/cutlass/main/README.md",
        "https://raw.githubusercontent.com/NVIDIA/cutlass/refs/heads/main/README.md",
    ],
    "https://github.com/nvidia/cutlass": [
        "https://github.com/NVIDIA/cutlass.git",
        "https://github.com/NVIDIA/cutlass/tree/main/",
        "https://github.com/NVIDIA/cutlass?tab=readme-ov-file#building",
    ],
    "https://github.com/pytorch/pytorch/pull/12": [
        "https://github.com/pytorch/pytorch/pull/12/files#diff-1",
        "https://github.com/PyTorch/pytorch/pull/12/commits",
    ],
    "https://x.com/i/status/123": [
        "https://twitter.com/someone/status/123?s=20&t=abc",
        "https://mobile.twitter.com/Someone/status/123/photo/1",
        "https://x.com/i/web/status/123",
    ],
    "https://reddit.com/comments/abc1": [
        "https://old.reddit.com/r/CUDA/comments/abc1/a_title/",
        "https://redd.it/abc1",
    ],
    "https://doi.org/10.1145/3591": ["http://dx.doi.org/10.1145/3591", "doi:10.1145/3591"],
    "https://en.wikipedia.org/wiki/Roofline_model": [
        "https://en.m.wikipedia.org/wiki/Roofline_model"
    ],
}
KINDS = {
    "https://arxiv.org/pdf/2205.14135": "paper",
    "https://youtu.be/dQw4w9WgXcQ": "video",
    "https://github.com/o/r/issues/3#issuecomment-1": "issue",
    "https://github.com/o/r/pull/3/files": "pr",
    "https://gitlab.com/g/s/p/-/merge_requests/3": "pr",
    "https://github.com/o/r": "code",
    "https://github.com/o/r/issues": "code",
    "https://gist.github.com/o/123": "code",
    "https://twitter.com/a/status/1": "thread",
    "https://old.reddit.com/r/CUDA/comments/1/x": "thread",
    "https://news.ycombinator.com/item?id=1": "thread",
    "https://notgithub.com/o/r/issues/3": "blog",
    "https://example.org/x": "blog",
    "": "blog",
}


@pytest.mark.parametrize(
    ("form", "address"), [(form, one) for form, many in SAME.items() for one in (form, *many)]
)
def test_ways_to_write_one_address_are_one(form, address):
    assert canonical(address) == form


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://example.org/A", "https://example.org/a"),
        ("https://example.org/?page=1", "https://example.org/?page=2"),
        ("https://example.org:8080/", "https://example.org/"),
        ("https://youtu.be/aaaaaaaaaaa", "https://youtu.be/AAAAAAAAAAA"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://app.example.org/#/one", "https://app.example.org/#/two"),
        ("https://github.com/o/r/issues/1", "https://github.com/o/r/issues/2"),
        ("https://gitlab.com/o/r/file?ref=a", "https://gitlab.com/o/r/file?ref=b"),
    ],
)
def test_different_things_stay_different(a, b):
    assert canonical(a) != canonical(b)


@pytest.mark.parametrize(
    "text", ["http://[", "http://a:b:c/", "http://", "://", "javascript:alert(1)", "http://é..:x/"]
)
def test_what_is_no_address_has_a_form_too(text):
    assert canonical(text) == canonical(canonical(text))
    assert not linkable(text) or text.startswith("http")


@given(
    st.one_of(st.text(), st.text().map("http://".__add__), st.text().map("https://a.b/".__add__))
)
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_form_that_stays(text):
    once = canonical(text)
    assert canonical(once) == once
    assert "\n" not in once
    assert kind_of(text)


def test_a_chain_of_forwards_does_not_raise():
    address = "https://example.org/"
    for _ in range(30):
        address = "https://google.com/url?q=" + address.replace("%", "%25").replace("&", "%26")
    assert canonical(address)
    assert canonical("https://google.com/url?q=" * 5000)


@pytest.mark.parametrize("end", ["…", "...", "....", "%E2%80%A6"])
def test_an_address_cut_short_is_known_as_one(end):
    address = f"https://example.org/a-long-ti{end}"
    assert cut(address)
    assert trimmed(address) == "https://example.org/a-long-ti"
    assert canonical(address) == "https://example.org/a-long-ti…"
    assert not linkable(address)


@pytest.mark.parametrize(("address", "kind"), KINDS.items())
def test_the_kind_follows_from_the_address(address, kind):
    assert kind_of(address) == kind


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("https://example.org", True),
        ("example.org/x", True),
        ("www.example.org", True),
        ("arxiv:2205.14135", True),
        ("softmax", False),
        ("softmax.py", False),
        ("How to read a/b tests", False),
        ("and/or", False),
        ("C++: the basics", False),
        ("", False),
    ],
)
def test_an_address_is_told_from_a_title(text, is_one):
    assert looks_like_one(text) == is_one


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://a b", ""]
)
def test_only_whole_addresses_of_the_web_are_links(address):
    assert not linkable(address)
