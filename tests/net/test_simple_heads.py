"""Heads that are read without h11 are read as it reads them, and the rest is left to it."""

from __future__ import annotations

import h11
import httpx2
import pytest

from tests.net.test_plain_http import OK, Server, ask, talk
from webquarry.net.http.simple_heads import read_head, write_get

SIMPLE = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 5",
    b"HTTP/1.1 200 \r\ncontent-length:5\r\nServer: a b\tc \t",
    b"HTTP/1.1 404 Not Found\r\nX-Empty:\r\nX-Empty: \r\nCONTENT-LENGTH: 0005",
    b"HTTP/1.1 503 Caf\x7e\r\nX: caf\xc3\xa9\r\nContent-Length: 5\r\nConnection: Keep-Alive",
    b"HTTP/1.1 301 Moved\r\nLocation: http://a.example/?x=1:2\r\nContent-Length: 5",
]
LEFT_TO_H11 = [
    b"",
    b"HTTP/1.0 200 OK\r\nContent-Length: 5",
    b"HTTP/1.1 200\r\nContent-Length: 5",
    b"HTTP/1.1 103 Early Hints\r\nContent-Length: 5",
    b"HTTP/1.1 204 No Content\r\nContent-Length: 5",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5",
    b"HTTP/1.1 200 OK",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5, 5",
    b"HTTP/1.1 200 OK\r\nContent-Length: +5",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX : y",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n folded",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\nY: b",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\rb",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: \x00",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nno colon",
    b"HTTP/1.1 200 OK\nContent-Length: 5",
]


def read_by_h11(head: bytes) -> tuple[int, bytes, list[tuple[bytes, bytes]], bytes]:
    """The status, the reason, the headers and the body of five bytes, as h11 has them."""
    state = h11.Connection(h11.CLIENT)
    state.send(h11.Request(method="GET", target="/", headers=[("Host", "a.example")]))
    state.send(h11.EndOfMessage())
    state.receive_data(head + b"\r\n\r\nhello")
    response, data = state.next_event(), state.next_event()
    assert isinstance(response, h11.Response)
    assert isinstance(data, h11.Data)
    headers = list(response.headers.raw_items())
    return response.status_code, bytes(response.reason), headers, bytes(data.data)


@pytest.mark.parametrize("head", SIMPLE)
def test_a_simple_head_is_read_as_h11_reads_it(head: bytes) -> None:
    found = read_head(head)

    assert found is not None
    told = (found.status, found.reason, found.headers.raw, b"hello"[: found.length])
    assert told == read_by_h11(head)


@pytest.mark.parametrize("head", LEFT_TO_H11)
def test_a_head_that_is_unusual_is_left_to_h11(head: bytes) -> None:
    assert read_head(head) is None


def test_a_request_is_written_as_h11_writes_it() -> None:
    headers = [(b"Accept", b"*/*"), (b"Host", b"a.example"), (b"X-Y", b"caf\xc3\xa9 z")]
    state = h11.Connection(h11.CLIENT)
    wanted = state.send(h11.Request(method="GET", target="/?q=a%20b", headers=headers))

    assert write_get(b"/?q=a%20b", httpx2.Headers(headers)) == wanted


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        (b"/", []),
        (b"/", [(b"Host", b"a"), (b"Host", b"b")]),
        (b"/ b", [(b"Host", b"a")]),
        (b"/", [(b"Host", b"a"), (b"X", b"y\r\nZ: 1")]),
        (b"/", [(b"Host", b"a"), (b"X", b" y")]),
        (b"/", [(b"Host", b"a"), (b"X:", b"y")]),
        (b"/", [(b"Host", b"a"), (b"Content-Length", b"0")]),
        (b"/", [(b"Host", b"a"), (b"Connection", b"close")]),
    ],
)
def test_a_request_that_is_unusual_is_left_to_h11(
    target: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    assert write_get(target, httpx2.Headers(headers)) is None


@pytest.mark.parametrize("answer", [OK, OK.replace(b"\r\n\r\n", b"\r\nX:\r\n y\r\n\r\n")])
def test_what_comes_behind_an_answer_is_not_taken_for_the_next_one(answer: bytes) -> None:
    server = Server(answer + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", OK)

    async def ask_twice(transport: httpx2.AsyncBaseTransport, url: str) -> list[bytes]:
        return [await ask(transport, url), await ask(transport, url)]

    assert talk(server, ask_twice) == [b"hello", b"hello"]
    assert server.connections == 2


def test_a_body_that_ends_early_is_a_protocol_error() -> None:
    server = Server(OK[:-1], hangs_up=True)

    with pytest.raises(httpx2.RemoteProtocolError, match="received 4 bytes, expected 5"):
        talk(server, ask)
