"""Errors of the connections below -> the exceptions that every user of httpx2 knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpcore2
import httpx2

from webquarry.secret import redact

_ERRORS: dict[type[Exception], type[httpx2.RequestError]] = {
    httpcore2.ConnectTimeout: httpx2.ConnectTimeout,
    httpcore2.ReadTimeout: httpx2.ReadTimeout,
    httpcore2.WriteTimeout: httpx2.WriteTimeout,
    httpcore2.PoolTimeout: httpx2.PoolTimeout,
    httpcore2.TimeoutException: httpx2.TimeoutException,
    httpcore2.ConnectError: httpx2.ConnectError,
    httpcore2.ReadError: httpx2.ReadError,
    httpcore2.WriteError: httpx2.WriteError,
    httpcore2.NetworkError: httpx2.NetworkError,
    httpcore2.ProxyError: httpx2.ProxyError,
    httpcore2.LocalProtocolError: httpx2.LocalProtocolError,
    httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
    httpcore2.ProtocolError: httpx2.ProtocolError,
    httpcore2.UnsupportedProtocol: httpx2.UnsupportedProtocol,
    # a TLS record that breaks in the middle of a body comes through bare
    OSError: httpx2.NetworkError,
}


@contextmanager
def translate_errors(request: httpx2.Request) -> Iterator[None]:
    """Let errors of the pool come out as the exceptions that every user of httpx2 knows."""
    try:
        yield
    except Exception as error:
        for base in type(error).__mro__:
            translated = _ERRORS.get(base)
            if translated is not None:
                raise translated(redact(str(error)), request=request) from error
        raise
