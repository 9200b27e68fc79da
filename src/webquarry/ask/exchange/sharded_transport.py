"""Many connections to one host, in groups: a pool looks at each of its connections for every
request, so small ones win.

A group is opened when all others are busy, so that few questions at once share few connections.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2

GROUP = 16  # requests under way in one group before another one is opened


class Spread(httpx2.AsyncBaseTransport):
    """A transport that hands each request to the group with the least to do."""

    def __init__(self, open_transport: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        self._open = open_transport
        self._groups: list[httpx2.AsyncBaseTransport] = []
        self._busy: list[int] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        place = next((place for place, busy in enumerate(self._busy) if busy < GROUP), None)
        if place is None:
            self._groups.append(self._open())
            self._busy.append(0)
            place = len(self._groups) - 1
        self._busy[place] += 1
        try:
            response = await self._groups[place].handle_async_request(request)
        except BaseException:
            self._busy[place] -= 1
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Body(response.stream, lambda: self._left(place))
        return response

    async def aclose(self) -> None:
        groups, self._groups, self._busy = self._groups, [], []
        for group in groups:
            await group.aclose()

    def _left(self, place: int) -> None:
        if place < len(self._busy):
            self._busy[place] -= 1


class _Body(httpx2.AsyncByteStream):
    """A body that says when it is done with, once."""

    def __init__(self, stream: httpx2.AsyncByteStream, done: Callable[[], None]) -> None:
        self._stream = stream
        self._done: Callable[[], None] | None = done

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        done, self._done = self._done, None
        if done is not None:
            done()
        await self._stream.aclose()
