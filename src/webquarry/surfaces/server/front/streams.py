"""An answer that takes long: it begins as a stream of events, so that nobody on the way takes the
connection for dead, and ends with the answer as the last event.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Send

PING_SECONDS = 15.0  # for which nothing is said at most
_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
]
_PING = b": ping\r\n\r\n"


class LateStream:
    """The stream of one answer, which says from now on that the work goes on."""

    def __init__(self, send: Send, seconds: float = PING_SECONDS) -> None:
        self._send = send
        self._seconds = seconds
        self._is_begun = False
        self._pinging = asyncio.create_task(self._ping())

    async def _ping(self) -> None:
        while True:
            await self._say(_PING, has_more=True)
            await asyncio.sleep(self._seconds)

    async def _say(self, event: bytes, *, has_more: bool) -> None:
        if not self._is_begun:
            await self._send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            self._is_begun = True
        await self._send({"type": "http.response.body", "body": event, "more_body": has_more})

    async def stop(self) -> None:
        """Say nothing more."""
        self._pinging.cancel()
        await asyncio.gather(self._pinging, return_exceptions=True)

    async def finish(self, answer: bytes) -> None:
        """End the stream with the answer."""
        await self.stop()
        await self._say(b"event: message\r\ndata: " + answer + b"\r\n\r\n", has_more=False)
