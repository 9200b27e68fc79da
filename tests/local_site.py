"""A server on a free port of 127.0.0.1, on threads of its own, for the time of a block."""

from __future__ import annotations

import threading
from http.server import ThreadingHTTPServer
from typing import Self


class LocalSite:
    """What the sites of the tests have in common; each brings a server with a handler of its own."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
