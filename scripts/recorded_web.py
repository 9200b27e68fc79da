"""Make the small recorded web that ships with webquarry: python scripts/recorded_web.py [FILE]

The pages under recorded_web/ are recorded by our own recorder, as if somebody had fetched them all
on a morning in November. The same sources make the same bytes.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import chain
from pathlib import Path

import httpx2
from web_model_replies import model_exchanges
from web_pages import Exchange, page_exchanges
from web_scholarly_replies import scholarly_exchanges
from web_search_replies import search_exchanges

from webquarry.clock import FrozenClock
from webquarry.net.archive.recorder import Recorder
from webquarry.net.archive.replay import demo_recording

MOMENT = datetime(
    2026, 11, 10, 9, 0, tzinfo=UTC
)  # one for all, so that a further page changes no date elsewhere


def recorded_bytes() -> bytes:
    """The whole file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recorded-web.warc.gz"
        asyncio.run(_record_all(path))
        return path.read_bytes()


def main(path: Path | None = None) -> None:
    """Write the file anew, where the package keeps it unless told otherwise."""
    path = path or demo_recording()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(recorded_bytes())


async def _record_all(path: Path) -> None:
    """Pages and searches first: what a model was asked holds what its search found."""
    searches = path.with_name("searches.warc.gz")
    await _record(searches, [])
    asked = await model_exchanges(searches, path.parent)
    await _record(path, asked)


async def _record(path: Path, asked: Iterable[Exchange]) -> None:
    clock = FrozenClock(MOMENT)
    recorder = Recorder(path, clock)
    for request, response in _each_once(
        chain(page_exchanges(), search_exchanges(), scholarly_exchanges(clock), asked)
    ):
        request.headers.setdefault("User-Agent", "webquarry (making the recorded web)")
        response.headers["Date"] = format_datetime(MOMENT, usegmt=True)
        transport = recorder.wrap(httpx2.MockTransport(lambda _, response=response: response))
        answer = await transport.handle_async_request(request)
        await answer.aread()
    recorder.close()


def _each_once(exchanges: Iterable[Exchange]) -> Iterable[Exchange]:
    """The first of those that ask for the same; a provider builds one request for several counts."""
    found: dict[tuple[str, str, bytes], Exchange] = {}
    for request, response in exchanges:
        found.setdefault((request.method, str(request.url), request.read()), (request, response))
    return found.values()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
