"""Errors of the connections below -> the exceptions that every user of httpx2 knows."""

from __future__ import annotations

from types import TracebackType

import httpx2

from webquarry.secret import redact


class TranslatedErrors:
    """A block out of which errors of the pool come as the exceptions that every user of httpx2
    knows.
    """

    def __init__(self, request: httpx2.Request) -> None:
        self._request = request

    def __enter__(self) -> None:
        """Nothing is to be done before an error comes."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception):
            translate(error, self._request)


def translate(error: Exception, request: httpx2.Request) -> None:
    """Raise the exception of httpx2 that an error of the pool's stands for, if there is one."""
    if isinstance(error, httpx2.RequestError):
        error.request = request
        return
    for base in type(error).__mro__:
        translated = _find_twin(base)
        if translated is not None:
            raise translated(redact(str(error)), request=request) from error


def _find_twin(error: type) -> type[httpx2.RequestError] | None:
    """The exception of httpx2 that means the same as one of httpcore2: they share their names, so
    that httpcore2 need not be loaded to tell.
    """
    if error is OSError:  # a TLS record that breaks in the middle of a body comes through bare
        return httpx2.NetworkError
    if error.__module__.partition(".")[0] != "httpcore2":
        return None
    twin: type[httpx2.RequestError] | None = getattr(httpx2, error.__name__, None)
    if twin is None or not issubclass(twin, httpx2.RequestError):
        return None
    return twin
