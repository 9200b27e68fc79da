"""Failed requests: exceptions of the HTTP stack and HTTP statuses as errors of webquarry.

The messages are our own. Texts of the stack may repeat headers, URLs or what the server sent, so
they stay in the cause.

Statuses: 2xx pass; 3xx without a Location, 408, 425 and 5xx are `NetworkFailure` (retryable except
3xx, 501 and 505); 404 and 410 `NotFound`; 407 `AuthFailure`; 429 `RateLimited`; all others,
including those above 599 that bot walls use, `SiteRefused`.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses

import httpx2
from h2.exceptions import H2Error, InvalidBodyLengthError

from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    PASSING_FAULT,
    SERVER_FAULT,
    WAIT,
    AuthFailure,
    NetworkFailure,
    NotFound,
    RateLimited,
    SiteRefused,
)
from webquarry.net.models import Reply
from webquarry.secret import redact

CLOSED_EARLY = "The server closed the connection before the answer was complete"

# Exceptions of a transport. Malformed responses also cause errors of h2, ValueError and OSError.
STACK_ERRORS = (
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    H2Error,
    OSError,
    ValueError,
)

_BY_ERRNO = {
    errno.ECONNREFUSED: "Connection refused",
    errno.EHOSTUNREACH: "Host unreachable",
    errno.ENETUNREACH: "Network unreachable",
    errno.ETIMEDOUT: "Connection timeout",
}
_TIMEOUTS: dict[type[Exception], str] = {
    httpx2.ConnectTimeout: "Connection timeout",
    httpx2.ReadTimeout: "The server stopped answering",
    httpx2.WriteTimeout: "The server stopped reading the request",
    httpx2.PoolTimeout: "No connection became free in time",
    TimeoutError: "The server stopped answering",
}
_UNREACHABLE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_INVALID_REQUEST = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.InvalidURL)
_CLOSED_TEXTS = ("disconnected", "without sending complete", "connectionterminated", "streamreset")

_NOT_FOUND = frozenset({404, 410})
_RETRYABLE_4XX = frozenset({408, 425})
_PERMANENT_5XX = frozenset({501, 505})
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


# Exceptions


def describe(error: Exception, host: str = "") -> NetworkFailure:
    """Return the failure that an exception of the HTTP stack stands for."""
    causes = list(_walk_causes(error))
    failure = (
        _describe_tls(causes)
        or _describe_connection(error, causes, host)
        or _describe_protocol(error, causes)
    )
    failure.host = host or None
    return failure


def is_unreachable(failure: NetworkFailure) -> bool:
    """Whether no connection was established, so that nothing is known about the site."""
    return isinstance(failure.__cause__, _UNREACHABLE)


def _describe_tls(causes: list[BaseException]) -> NetworkFailure | None:
    for error in causes:
        if isinstance(error, ssl.SSLCertVerificationError):
            reason = error.verify_message or "it could not be verified"
            return NetworkFailure(
                f"TLS certificate not accepted: {redact(reason)}",
                retryable=False,
                suggested_action="Choose another source, or name your own certificate authority "
                "with WEBQUARRY_CA_FILE.",
            )
        is_end = isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)
        if isinstance(error, ssl.SSLError) and not is_end:
            reason = (error.reason or "handshake failed").replace("_", " ").lower()
            return NetworkFailure(
                f"TLS connection failed: {redact(reason)}",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
    return None


def _describe_connection(
    error: Exception, causes: list[BaseException], host: str
) -> NetworkFailure | None:
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            if cause.errno == socket.EAI_AGAIN:
                return NetworkFailure(
                    f"The name {host} could not be looked up for now",
                    suggested_action="Check the connection, then try again.",
                )
            return NetworkFailure(
                f"The name {host} was not found",
                retryable=False,
                suggested_action="Check the spelling of the address and the connection to the "
                "internet, or search for the site.",
            )
    for kind, text in _TIMEOUTS.items():
        if isinstance(error, kind):
            return NetworkFailure(text)
    if isinstance(error, httpx2.ProxyError):
        return NetworkFailure(
            f"The proxy did not pass the request on: {redact(str(error))[:120]}",
            retryable=False,
            suggested_action="Check WEBQUARRY_HTTP_PROXY and WEBQUARRY_HTTPS_PROXY.",
        )
    for cause in causes:
        if isinstance(cause, OSError) and cause.errno in _BY_ERRNO:
            return NetworkFailure(_BY_ERRNO[cause.errno])
    if isinstance(error, httpx2.ConnectError):
        return NetworkFailure("No connection could be made")
    if isinstance(error, httpx2.NetworkError | OSError):
        return NetworkFailure(CLOSED_EARLY, suggested_action=PASSING_FAULT)
    return None


def _describe_protocol(error: Exception, causes: list[BaseException]) -> NetworkFailure:
    is_closed = isinstance(error, httpx2.RemoteProtocolError) and any(
        text in str(error).lower() for text in _CLOSED_TEXTS
    )
    if is_closed or any(isinstance(cause, InvalidBodyLengthError) for cause in causes):
        return NetworkFailure(CLOSED_EARLY, suggested_action=PASSING_FAULT)
    # httpcore2 raises LocalProtocolError for HTTP/2 faults of the server, too.
    is_http2_fault = any(isinstance(cause, H2Error) for cause in causes)
    if isinstance(error, _INVALID_REQUEST) and not is_http2_fault:
        return NetworkFailure(
            "The request cannot be sent over HTTP as it is",
            retryable=False,
            suggested_action="Check the address.",
        )
    return NetworkFailure(
        "The server's answer was not proper HTTP", retryable=False, suggested_action=SERVER_FAULT
    )


def _walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


# Statuses


def raise_for_status(reply: Reply) -> None:
    """Raise the error of a status that is not a success."""
    status = reply.status
    if 200 <= status < 300:
        return
    text = f"{httpx2.URL(reply.url).host} answered {_describe_status(status)}"
    wait = retry_after_seconds(reply.headers, reply.fetched_at)
    if status in _NOT_FOUND:
        raise NotFound(text)
    if status == 429:
        raise RateLimited(
            text,
            retry_after_seconds=wait,
            suggested_action=f"Wait {WAIT} and try again, or choose another source.",
        )
    if status == 407:
        raise AuthFailure(
            f"The proxy answered {_describe_status(status)}",
            suggested_action="Put the proxy's user and password into WEBQUARRY_HTTP_PROXY or "
            "WEBQUARRY_HTTPS_PROXY.",
        )
    if status < 400:
        raise NetworkFailure(
            f"{text}, a redirect without a target", retryable=False, suggested_action=SERVER_FAULT
        )
    if 500 <= status < 600 or status in _RETRYABLE_4XX:
        is_permanent = status in _PERMANENT_5XX
        advice = SERVER_FAULT if is_permanent else PASSING_FAULT
        if wait is not None and not is_permanent:
            advice = f"The fault is the server's: try again in {WAIT}, or choose another source."
        raise NetworkFailure(
            text, retryable=not is_permanent, retry_after_seconds=wait, suggested_action=advice
        )
    raise SiteRefused(text)


def retry_after_seconds(headers: httpx2.Headers, now: datetime) -> float | None:
    """Parse Retry-After (seconds or an HTTP date), at most an hour; None if it is invalid."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if _SECONDS.fullmatch(value):
        return min(float(value), LONGEST_WAIT_SECONDS)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    wait = (moment - now).total_seconds()
    return min(max(wait, 0.0), LONGEST_WAIT_SECONDS)


def _describe_status(status: int) -> str:
    return f"{status} ({responses[status]})" if status in responses else str(status)
