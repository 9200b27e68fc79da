"""Which of the library's protocols parses requests: the one written in C where it is installed, and
else the one in Python. Both have the same limits.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Any

from webquarry.surfaces.server.slow_clients import LimitedConnection, LimitedH11Protocol

log = logging.getLogger(__name__)

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # httptools comes with the extra `http`
    HAS_HTTPTOOLS = False
else:
    HAS_HTTPTOOLS = True

if TYPE_CHECKING or HAS_HTTPTOOLS:

    class LimitedHttpToolsProtocol(LimitedConnection, HttpToolsProtocol):  # type: ignore[misc]
        """A connection whose requests are parsed in C. That parser takes heads, trailers and the
        frames of chunks of any size, so what is no body is counted here.
        """

        _bytes_without_body = 0
        _had_body = False
        _data = b""  # that is being parsed
        _is_handed_on = False  # to another protocol, whose connection it is now

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            joined: Any = JoinedWrites(transport)
            self.transport = joined

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            self._had_body = False
            self._data = data
            super().data_received(data)
            if self._is_handed_on:
                self._stop_head_timer()
                return
            if self._had_body or self.cycle is not before:
                self._bytes_without_body = 0
                return
            self._bytes_without_body += len(data)
            most = self.config.h11_max_incomplete_event_size
            is_open = not self.transport.is_closing()
            if is_open and most is not None and self._bytes_without_body > most:
                log.info("a client sent more than a head may have")
                self.send_400_response("The head of the request is too large.")

        def on_header(self, name: bytes, value: bytes) -> None:
            """Blanks around a value are no part of it; the parser leaves those behind it."""
            super().on_header(name, value.rstrip(b" \t"))

        def on_body(self, body: bytes) -> None:
            self._had_body = True
            super().on_body(body)

        def _should_upgrade(self) -> bool:
            """Whoever would rather speak another protocol, as HTTP/2, is answered in this one. The
            parser takes their body for words of the other protocol, so they are handed on.
            """
            return True

        def handle_websocket_upgrade(self) -> None:  # type: ignore[override]
            """Have a protocol that ignores such wishes read this request, and all that follow."""
            if self.cycle is not None and not self.cycle.response_complete:
                self.transport.abort()  # a wish in the midst of other requests
                return
            lines = [b"%b %b HTTP/1.1\r\n" % (self.scope["method"].encode(), self.url)]
            for name, value in self.headers:
                if name not in (b"connection", b"upgrade"):
                    lines.append(b"%b: %b\r\n" % (name, value))
            raised = sys.exc_info()[1]
            assert raised is not None
            rest = self._data[raised.args[0] :]
            self._is_handed_on = True
            self.connections.discard(self)
            following = LimitedH11Protocol(
                self.config, self.server_state, self.app_state, shared=self._shared
            )
            joined: Any = self.transport
            transport = joined.inner
            following.connection_made(transport)
            transport.set_protocol(following)
            following.data_received(b"".join([*lines, b"\r\n", rest]))


class JoinedWrites:
    """A transport that can wait with what it is given, and then write all of it at once: the head
    and the body of a small answer are one packet.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self.inner = transport
        self._waiting: list[bytes] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def write(self, data: bytes) -> None:
        """Write, or wait."""
        if self._waiting is None:
            self.inner.write(data)
        else:
            self._waiting.append(data)

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self.inner.is_closing()

    def close(self) -> None:
        """Write what waits, and close."""
        self.write_waiting()
        self.inner.close()

    def wait(self) -> None:
        """From now on, what is written waits."""
        self._waiting = []

    def write_waiting(self) -> None:
        """Write what has waited, and whatever comes as it comes."""
        waiting, self._waiting = self._waiting, None
        if waiting:
            self.inner.write(b"".join(waiting))


def choose_protocol() -> type[LimitedConnection]:
    """The protocol that costs least here."""
    if HAS_HTTPTOOLS:
        return LimitedHttpToolsProtocol
    return LimitedH11Protocol
