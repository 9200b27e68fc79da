from __future__ import annotations

import errno
import socket
import ssl

import httpx2
import pytest
from h2.exceptions import DenialOfServiceError, InvalidBodyLengthError

from webquarry.net.failures import describe, is_unreachable

CLOSED = "The server closed the connection before the answer was complete"


def verification_error() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


def tls_error() -> ssl.SSLError:
    error = ssl.SSLError(1, "wrong version")
    error.reason = "WRONG_VERSION_NUMBER"
    return error


def because(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


CASES: dict[str, tuple[Exception, str, bool]] = {
    "connect timeout": (httpx2.ConnectTimeout("x"), "Connection timeout", True),
    "refused": (
        because(
            httpx2.ConnectError("x"),
            because(OSError("all failed"), ConnectionRefusedError(errno.ECONNREFUSED, "no")),
        ),
        "Connection refused",
        True,
    ),
    "no route": (
        because(httpx2.ConnectError("x"), OSError(errno.EHOSTUNREACH, "no route")),
        "Host unreachable",
        True,
    ),
    "no such name": (
        because(httpx2.ConnectError("x"), socket.gaierror(socket.EAI_NONAME, "unknown")),
        "The name harbor.example was not found",
        False,
    ),
    "no name server": (
        because(httpx2.ConnectError("x"), socket.gaierror(socket.EAI_AGAIN, "later")),
        "The name harbor.example could not be looked up for now",
        True,
    ),
    "certificate": (
        because(httpx2.ConnectError("x"), verification_error()),
        "TLS certificate not accepted: self-signed certificate",
        False,
    ),
    "handshake": (
        because(httpx2.ConnectError("x"), tls_error()),
        "TLS connection failed: wrong version number",
        False,
    ),
    "reset": (
        because(httpx2.ReadError(""), ConnectionResetError(errno.ECONNRESET, "reset")),
        CLOSED,
        True,
    ),
    "cut": (
        httpx2.RemoteProtocolError(
            "peer closed connection without sending complete message body (1 of 2)"
        ),
        CLOSED,
        True,
    ),
    "not HTTP": (
        httpx2.RemoteProtocolError("illegal status line"),
        "The server's answer was not proper HTTP",
        False,
    ),
    "HTTP/2, called local": (
        because(httpx2.LocalProtocolError("x"), DenialOfServiceError("headers")),
        "The server's answer was not proper HTTP",
        False,
    ),
    "HTTP/2, cut": (
        because(httpx2.LocalProtocolError("x"), InvalidBodyLengthError(2, 1)),
        CLOSED,
        True,
    ),
    "proxy": (
        httpx2.ProxyError("407 Proxy Authentication Required"),
        "The proxy did not pass the request on: 407 Proxy Authentication Required",
        False,
    ),
    "header": (
        httpx2.LocalProtocolError("Illegal header value b'sekrit\\n'"),
        "The request cannot be sent over HTTP as it is",
        False,
    ),
}


@pytest.mark.parametrize(("error", "words", "retryable"), CASES.values(), ids=CASES)
def test_every_failure_has_a_plain_message(error: Exception, words: str, retryable: bool) -> None:
    failure = describe(error, "harbor.example")

    assert failure.message == words
    assert failure.retryable is retryable
    assert failure.sentence.startswith(("harbor.example: ", "The name harbor.example "))
    assert failure.sentence.endswith(f"{words}.")


def test_the_words_of_a_proxy_are_shown_without_its_password() -> None:
    failure = describe(httpx2.ProxyError("cannot use http://user:hunter22@proxy.example"))

    assert "hunter22" not in failure.message


@pytest.mark.parametrize(
    ("error", "unreachable"),
    [
        (httpx2.ConnectError("x"), True),
        (httpx2.ConnectTimeout("x"), True),
        (httpx2.ProxyError("x"), True),
        (httpx2.ReadError("x"), False),
        (httpx2.RemoteProtocolError("x"), False),
    ],
)
def test_a_host_that_takes_no_connection_is_unreachable(
    error: Exception, unreachable: bool
) -> None:
    failure = describe(error)
    failure.__cause__ = error

    assert is_unreachable(failure) is unreachable
