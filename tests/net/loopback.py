"""A server on 127.0.0.1 that answers with the bytes it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def serve(answers: Mapping[str, bytes | list[bytes]]) -> AsyncIterator[str]:
    """Serve whole HTTP messages by path, the listed ones in turn; gives the origin. Every answer
    ends its connection.
    """
    turns = {path: iter(answer) for path, answer in answers.items() if isinstance(answer, list)}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            (
                int(line[15:])
                for line in head.lower().splitlines()
                if line.startswith("content-length:")
            ),
            0,
        )
        await reader.readexactly(length)
        path = head.split(" ")[1].partition("?")[0]
        answer = next(turns[path]) if path in turns else answers[path]
        assert isinstance(answer, bytes)
        with suppress(ConnectionError):  # a client may have had enough
            writer.write(answer)
            await writer.drain()
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"


def message(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A whole HTTP answer."""
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {size}", "Connection: close", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunked(body: bytes, *headers: str) -> bytes:
    """The same in two chunks, without a length."""
    head = "\r\n".join(
        ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", *headers]
    ).encode()
    half = len(body) // 2
    parts = b"".join(
        b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:], b"")
    )
    return head + b"\r\n\r\n" + parts
