"""Replay: a transport that answers from a WARC file, with the network off.

A request is found by its method, address and body (`build_request_key`). Several answers to one
request are given in the order of the file and the last one repeats, for each transport anew: 429
then 200 stays 429 then 200, and requests to different addresses never disturb one another. Files
that other tools wrote can be replayed too; an answer without its request is taken for that of a
GET.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader

from webquarry.errors import BadInput, NotRecorded
from webquarry.net.archive.scrub import RequestKey, build_request_key, scrub_url
from webquarry.net.archive.warc_index import Recorded, read_head, read_index

_PIECE = 64 * 1024


class Replay:
    """A recording: what was answered, and when."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers, self.moment = read_index(path)  # `moment` is the date of the newest record

    def transport(self) -> httpx2.AsyncBaseTransport:
        """A transport that starts at the beginning of the recording."""
        return _ReplayTransport(self.path, self._answers)


def demo_recording() -> Path:
    """The small recorded web that ships with the package (scripts/recorded_web.py makes it)."""
    from importlib.resources import files  # slow to import, and only a replay of it needs it

    return Path(str(files("webquarry") / "data" / "recorded-web.warc.gz"))


class _ReplayTransport(httpx2.AsyncBaseTransport):
    def __init__(self, path: Path, answers: dict[RequestKey, list[Recorded]]) -> None:
        self._path = path
        self._answers = answers
        self._times_asked: dict[RequestKey, int] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        content_type = request.headers.get("content-type", "")
        key = build_request_key(request.method, request.url, body, content_type)
        answers = self._answers.get(key)
        name = f"{request.method} {scrub_url(request.url)}"
        if not answers:
            raise NotRecorded(f"The recording {self._path.name} holds no answer to {name}.")
        times_asked = self._times_asked.get(key, 0)
        self._times_asked[key] = times_asked + 1
        place = min(times_asked, len(answers) - 1)  # the last one repeats
        return self._read_answer(answers[place], name)

    def _read_answer(self, recorded: Recorded, request_name: str) -> httpx2.Response:
        with _open_record(self._path, recorded) as stream:
            status_line, raw_headers = read_head(stream)
        version, _, rest = status_line.partition(b" ")
        status, _, reason = rest.partition(b" ")
        headers = [pair for pair in raw_headers if pair[0].lower() != b"transfer-encoding"]
        return httpx2.Response(
            int(status),
            headers=headers,
            stream=_RecordedStream(self._path, recorded, request_name),
            extensions={"http_version": version, "reason_phrase": reason},
        )


@contextmanager
def _open_record(path: Path, recorded: Recorded) -> Iterator[Any]:
    """The HTTP message of a record, as a stream."""
    try:
        file: IO[bytes] = path.open("rb")
    except OSError as error:
        raise BadInput(f"The recording {path} can no longer be read: {error.strerror}.") from error
    with file:
        file.seek(recorded.offset)
        record = next(iter(ArchiveIterator(file, no_record_parse=True)))
        yield record.raw_stream


class _RecordedStream(httpx2.AsyncByteStream):
    """A recorded body, read from the file when it is asked for."""

    def __init__(self, path: Path, recorded: Recorded, name: str) -> None:
        self._path = path
        self._recorded = recorded
        self._name = name

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        with _open_record(self._path, self._recorded) as stream:
            _, headers = read_head(stream)
            body = stream
            for name, value in headers:
                if name.lower() == b"transfer-encoding" and b"chunked" in value.lower():
                    body = ChunkedDataReader(stream)
                    break
            while piece := body.read(_PIECE):
                size += len(piece)
                yield piece
        self._check_end(size)

    def _check_end(self, size: int) -> None:
        """A body that was cut when it was recorded must not pass for the whole."""
        if self._recorded.truncated in {"disconnect", "time"}:
            raise httpx2.ReadError(
                f"the connection ended after {size:,} bytes, as it did when this was recorded"
            )
        if self._recorded.truncated:
            raise NotRecorded(
                f"The recording {self._path.name} holds only the first {size:,} bytes of "
                f"{self._name}."
            )
