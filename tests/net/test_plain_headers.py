"""Headers that are looked up in a dict say and do what those of httpx2 say and do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.net.http.page_request import NO_BODY, PageRequest
from webquarry.net.http.plain_headers import PlainHeaders, build_headers
from webquarry.net.http.simple_heads import read_head, write_fields, write_get

NAMES = st.sampled_from(["Content-Type", "content-type", "X-A", "x-b", "Set-Cookie", "Server"])
VALUES = st.sampled_from(["", "a", "text/html; charset=utf-8", "a, b", "Ab=1"])
ASKED = ("content-type", "CONTENT-TYPE", "x-a", "X-B", "set-cookie", "Server", "no-such")

LOOKS: list[Callable[[httpx2.Headers], Any]] = [
    *[lambda headers, name=name: headers.get(name) for name in ASKED],
    *[lambda headers, name=name: headers.get(name, "none") for name in ASKED],
    *[lambda headers, name=name: name in headers for name in ASKED],
    *[lambda headers, name=name: headers.get_list(name) for name in ASKED],
    lambda headers: headers.raw,
    lambda headers: headers.encoding,
    lambda headers: list(headers),
    lambda headers: list(headers.items()),
    lambda headers: headers.multi_items(),
    lambda headers: list(headers.values()),
    lambda headers: (len(headers), bool(headers)),
    lambda headers: httpx2.Headers(headers).raw,
    lambda headers: headers.copy().raw,
    lambda headers: (headers | {"x-a": "new"}).raw,
    lambda headers: copy.copy(headers).raw,
    lambda headers: copy.deepcopy(headers).raw,
    lambda headers: pickle.loads(pickle.dumps(headers)).raw,
]
CHANGES: list[Callable[[httpx2.Headers], Any]] = [
    lambda headers: headers.update({"x-a": "new", "y": "1"}),
    lambda headers: headers.setdefault("x-a", "new"),
    lambda headers: headers.setdefault("y", "new"),
    lambda headers: headers.pop("content-type", None),
    lambda headers: headers.clear(),
    lambda headers: headers.__setitem__("X-A", "new"),
    lambda headers: headers.__ior__({"x-a": "new"}),
]


def read(pairs: list[tuple[str, str]]) -> PlainHeaders:
    """Headers as they are read of a head, the length of the body first."""
    lines = [f"{name}: {value}" for name, value in [("Content-Length", "5"), *pairs]]
    head = read_head("\r\n".join(["HTTP/1.1 200 OK", *lines]).encode())
    assert head is not None
    assert isinstance(head.headers, PlainHeaders)
    return head.headers


def build(pairs: list[tuple[str, str]]) -> httpx2.Headers:
    return httpx2.Headers([("Content-Length", "5"), *pairs])


each_list = given(st.lists(st.tuples(NAMES, VALUES), max_size=6))


@each_list
def test_headers_say_what_those_of_httpx2_say(pairs: list[tuple[str, str]]) -> None:
    known = build(pairs)
    asked_before = read(pairs)

    for look in LOOKS:
        assert look(read(pairs)) == look(known)
        assert look(build_headers(known.raw)) == look(known)
        assert look(asked_before) == look(known)
    assert read(pairs) == known
    assert repr(read(pairs)).endswith(repr(known))


@each_list
def test_headers_that_are_changed_are_those_of_httpx2(pairs: list[tuple[str, str]]) -> None:
    for change in CHANGES:
        known, headers = build(pairs), read(pairs)
        assert change(headers) == change(known)
        for look in LOOKS:
            assert look(headers) == look(known)


def test_a_header_that_is_missing_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="x-a"):
        _ = read([])["x-a"]


def test_the_encoding_of_headers_can_be_set() -> None:
    headers = read([("X-A", "a")])
    headers.encoding = "latin-1"
    headers["X-B"] = "Ã©"  # two bytes, which UTF-8 would take for one letter

    assert headers["x-b"] == "Ã©"
    assert headers.raw[-1] == (b"X-B", b"\xc3\xa9")


def test_bytes_that_are_not_ascii_are_left_to_httpx2() -> None:
    head = read_head(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: caf\xc3\xa9")

    assert head is not None
    for headers in (head.headers, build_headers(head.headers.raw)):
        assert type(headers) is httpx2.Headers
        assert headers["x-a"] == "café"


def test_what_one_request_changes_stays_as_it_was_for_the_next() -> None:
    known = httpx2.Headers({"Host": "a.example", "Accept": "*/*"})
    shared = PlainHeaders.of(known, write_fields(known))
    changed, other = shared.share(), shared.share()
    changed["Cookie"] = "a=b"

    assert write_get(b"/", changed) == (
        b"GET / HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nCookie: a=b\r\n\r\n"
    )
    assert write_get(b"/", other) == b"GET / HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"
    assert changed.pairs is None


def test_a_request_for_a_page_has_all_that_one_of_httpx2_has() -> None:
    url, headers = httpx2.URL("http://a.example/b"), httpx2.Headers({"Host": "a.example"})
    known = httpx2.Request("GET", url, headers=headers, stream=NO_BODY, extensions={"a": 1})

    assert vars(PageRequest(url, headers, {"a": 1})) == vars(known)
