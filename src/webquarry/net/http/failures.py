"""What went wrong on the way, in plain words: an exception of the HTTP stack in, a NetworkFailure
out.

The words are ours alone. The stack's own texts may repeat headers, URLs or what the server sent, so
they stay in the cause and out of the message.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator

import httpx2
from h2.exceptions import H2Error, InvalidBodyLengthError

from webquarry.errors import PASSING_FAULT, SERVER_FAULT, NetworkFailure
from webquarry.net.http.body import CLOSED_EARLY
from webquarry.secret import redact

# What a transport may raise; a server's malformed bytes also surface as h2's own errors, ValueError
# or bare OSErrors.
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
    httpx2.WriteTimeout: "The server stopped listening",
    httpx2.PoolTimeout: "No connection became free in time",
    TimeoutError: "The server stopped answering",
}
_UNREACHABLE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_OUR_FAULTS = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.InvalidURL)
_CLOSINGS = ("disconnected", "without sending complete", "connectionterminated", "streamreset")


def describe(error: Exception, host: str = "") -> NetworkFailure:
    """The failure that says what an exception of the HTTP stack means, on the way to a host."""
    failure = _describe(error, host)
    failure.host = host or None
    return failure


def _describe(error: Exception, host: str) -> NetworkFailure:
    chain = list(_walk_causes(error))
    failure = _describe_tls(chain) or _describe_connection(error, chain, host)
    if failure is not None:
        return failure
    if isinstance(error, httpx2.RemoteProtocolError):
        text = str(error).lower()
        if any(word in text for word in _CLOSINGS):
            return NetworkFailure(CLOSED_EARLY, suggested_action=PASSING_FAULT)
    if any(isinstance(link, InvalidBodyLengthError) for link in chain):
        return NetworkFailure(CLOSED_EARLY, suggested_action=PASSING_FAULT)
    # httpcore2 calls a server's HTTP/2 faults local, too.
    is_http2_fault = any(isinstance(link, H2Error) for link in chain)
    if isinstance(error, _OUR_FAULTS) and not is_http2_fault:
        return NetworkFailure(
            "The request cannot be sent over HTTP as it is",
            retryable=False,
            suggested_action="Check the address.",
        )
    return NetworkFailure(
        "The server's answer was not proper HTTP",
        retryable=False,
        suggested_action=SERVER_FAULT,
    )


def is_unreachable(failure: NetworkFailure) -> bool:
    """Whether not even a connection came about, so that nothing can be said about the site behind
    it.
    """
    return isinstance(failure.__cause__, _UNREACHABLE)


def _describe_tls(chain: list[BaseException]) -> NetworkFailure | None:
    for error in chain:
        if isinstance(error, ssl.SSLCertVerificationError):
            reason = error.verify_message or "it could not be verified"
            return NetworkFailure(
                f"TLS certificate not accepted: {redact(reason)}",
                retryable=False,
                suggested_action="Choose another source, or name your own certificate authority "
                "with WEBQUARRY_CA_FILE.",
            )
        is_end = isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError))
        if isinstance(error, ssl.SSLError) and not is_end:
            reason = (error.reason or "handshake failed").replace("_", " ").lower()
            return NetworkFailure(
                f"TLS connection failed: {redact(reason)}",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
    return None


def _describe_connection(
    error: Exception, chain: list[BaseException], host: str
) -> NetworkFailure | None:
    for link in chain:
        if isinstance(link, socket.gaierror):
            if link.errno == socket.EAI_AGAIN:
                return NetworkFailure(
                    f"The name {host} could not be looked up for now",
                    suggested_action="Check the connection, then try again.",
                )
            return NetworkFailure(
                f"The name {host} was not found",
                retryable=False,
                suggested_action="Check the spelling of the address, or search for the site.",
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
    for link in chain:
        if isinstance(link, OSError) and link.errno in _BY_ERRNO:
            return NetworkFailure(_BY_ERRNO[link.errno])
    if isinstance(error, httpx2.ConnectError):
        return NetworkFailure("No connection could be made")
    if isinstance(error, (httpx2.NetworkError, OSError)):
        return NetworkFailure(CLOSED_EARLY, suggested_action=PASSING_FAULT)
    return None


def _walk_causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, its causes, and those of every member of a group; each once."""
    waiting = [error]
    seen: set[int] = set()
    while waiting:
        link = waiting.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        for earlier in (link.__cause__, link.__context__):
            if earlier is not None:
                waiting.append(earlier)
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(link.exceptions)
