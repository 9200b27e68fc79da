"""What the tests of record and replay share."""

from __future__ import annotations

import asyncio
import gzip
from argparse import Namespace
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tests.net.loopback import serve
from webquarry.clock import FrozenClock
from webquarry.net.archive.recorder import Recorder
from webquarry.net.archive.replay import Replay

MOMENT = datetime(2026, 11, 10, 9, 30, tzinfo=UTC)
CLOCK = FrozenClock(MOMENT)
PAGE = "<p>Ebb and flow, größer als sonst</p>".encode() * 400

Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
Work = Callable[[httpx2.AsyncClient, str], Awaitable[None]]


async def ask(client: httpx2.AsyncClient, method: str, url: str, **options: Any) -> Answer:
    """Status, headers and body as sent, compression included; the framing headers left out."""
    async with client.stream(method, url, **options) as response:
        body = b"".join([chunk async for chunk in response.aiter_raw()])
    framing = {b"transfer-encoding", b"content-length"}
    return (
        response.status_code,
        [item for item in response.headers.raw if item[0].lower() not in framing],
        body,
    )


def record(path: Path, answers: dict[str, bytes | list[bytes]], work: Work) -> None:
    """Do the work against a real server, with the recorder on."""

    async def run() -> None:
        recorder = Recorder(path, CLOCK)
        transport = recorder.wrap(httpx2.AsyncHTTPTransport())
        async with serve(answers) as origin, httpx2.AsyncClient(transport=transport) as client:
            await work(client, origin)
        recorder.close()

    asyncio.run(run())


def record_mock(
    path: Path, handler: Callable[[httpx2.Request], httpx2.Response], *requests: httpx2.Request
) -> None:
    """Record the answers of a function."""

    async def run() -> None:
        recorder = Recorder(path, CLOCK)
        async with httpx2.AsyncClient(
            transport=recorder.wrap(httpx2.MockTransport(handler))
        ) as client:
            for request in requests:
                await client.send(request)
        recorder.close()

    asyncio.run(run())


def replay(path: Path, *requests: httpx2.Request) -> list[httpx2.Response]:
    async def run() -> list[httpx2.Response]:
        async with httpx2.AsyncClient(transport=Replay(path).transport()) as client:
            return [await client.send(request) for request in requests]

    return asyncio.run(run())


def text_of(path: Path) -> bytes:
    """The file out of its compression, and every body in it out of its own."""
    with path.open("rb") as file:
        bodies = [record.content_stream().read() for record in ArchiveIterator(file)]
    return gzip.decompress(path.read_bytes()) + b"".join(bodies)


def records_of(path: Path, kind: str) -> list[dict[str, str]]:
    with path.open("rb") as file:
        return [
            dict(record.rec_headers.headers)
            for record in ArchiveIterator(file)
            if record.rec_type == kind
        ]


def check(path: Path) -> int:
    """What `warcio check` says: 0 when every digest is right."""
    checker = Checker(Namespace(inputs=[str(path)], verbose=False))
    return int(checker.process_all())
