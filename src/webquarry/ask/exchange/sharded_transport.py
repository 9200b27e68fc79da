"""Many connections to one host, in shards: a pool looks at each of its connections for every
request, so small ones win.

A shard is opened when all others are busy, so that few questions at once share few connections.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2

SHARD_REQUESTS = 16  # requests under way in one shard before another one is opened


class ShardedTransport(httpx2.AsyncBaseTransport):
    """A transport that hands each request to the first of its shards that has a place for it."""

    def __init__(self, open_transport: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        self._open = open_transport
        self._shards: list[httpx2.AsyncBaseTransport] = []
        self._busy: list[int] = []  # requests under way, by shard

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request through a shard, which is busy until the body has been read."""
        place = self._find_place()
        self._busy[place] += 1
        try:
            response = await self._shards[place].handle_async_request(request)
        except BaseException:
            self._busy[place] -= 1
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _ReleasingStream(response.stream, lambda: self._release(place))
        return response

    async def aclose(self) -> None:
        """Close every shard."""
        shards, self._shards, self._busy = self._shards, [], []
        for shard in shards:
            await shard.aclose()

    def _find_place(self) -> int:
        """The first shard that is not full; a new one when all are."""
        for place, busy in enumerate(self._busy):
            if busy < SHARD_REQUESTS:
                return place
        self._shards.append(self._open())
        self._busy.append(0)
        return len(self._shards) - 1

    def _release(self, place: int) -> None:
        """A body has been read; after a close there is nothing to count."""
        if place < len(self._busy):
            self._busy[place] -= 1


class _ReleasingStream(httpx2.AsyncByteStream):
    """A body that says when it is done with, once."""

    def __init__(self, stream: httpx2.AsyncByteStream, release: Callable[[], None]) -> None:
        self._stream = stream
        self._release: Callable[[], None] | None = release

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        """Give the place back, and end the body."""
        release, self._release = self._release, None
        if release is not None:
            release()
        await self._stream.aclose()
