"""Transport of httpx2 over guarded connections: requests in, responses out.

`Refused` is raised unchanged, network errors as exceptions of httpx2. Direct connections are
checked on the address that is connected to; behind a proxy, the target is checked on the addresses
that its name resolves to before the request is sent to the proxy.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore2
import httpx2

from webquarry.errors import BadSetting
from webquarry.net.connect import GuardedBackend, connect_timeout, resolve_allowed_addresses
from webquarry.net.guard import Guard
from webquarry.net.proxies import Proxies, Proxy
from webquarry.net.strict_url import port_of
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 100
MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 15


class Transport(httpx2.AsyncBaseTransport):
    """Connection pools for direct and proxied requests, opened when first used.

    Without a guard it is for hosts that the user chose. `sockets` replaces the network in tests.
    """

    def __init__(
        self,
        settings: Settings,
        guard: Guard | None,
        *,
        sockets: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._sockets = sockets
        self._proxies = Proxies.from_settings(settings)
        if settings.ca_file is not None:
            check_ca_file(settings.ca_file)
        self._pools: dict[tuple[str, Proxy | None], _Pool] = {}
        self._opening = asyncio.Lock()
        self._warned = False
        seconds = settings.timeout_seconds
        timeout = httpx2.Timeout(seconds, connect=settings.connect_timeout_seconds)
        self._default_extensions = {"timeout": timeout.as_dict()}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        if self._guard is not None:
            url = self._guard.check_url(url)
        proxy = self._proxies.find(url)
        extensions = self._default_extensions | request.extensions
        try:
            if proxy is not None:
                await self._check_proxied_target(url, extensions["timeout"].get("connect"))
            pool = await self._get_pool(url.scheme, proxy)
            return await pool.send(request, url, extensions)
        except _NETWORK_ERRORS as error:
            raise _map_error(error, request) from error

    async def warm_up(self) -> None:
        """Open the pool of direct HTTPS connections."""
        await self._get_pool("https", None)
        await httpcore2.AnyIOBackend().sleep(0)  # imports anyio's support of asyncio

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    async def _get_pool(self, scheme: str, proxy: Proxy | None) -> _Pool:
        key = (scheme, proxy)
        if key not in self._pools:
            async with self._opening:
                if key not in self._pools:  # loading certificates takes tens of milliseconds
                    self._pools[key] = await asyncio.to_thread(self._open_pool, scheme, proxy)
        return self._pools[key]

    def _open_pool(self, scheme: str, proxy: Proxy | None) -> _Pool:
        guard = self._guard if proxy is None else None  # the proxy itself may be private
        backend = GuardedBackend(guard, self._settings.connect_timeout_seconds, self._sockets)
        connections = httpcore2.AsyncConnectionPool(
            ssl_context=create_tls_context(self._settings.ca_file) if scheme == "https" else None,
            proxy=self._build_core_proxy(proxy) if proxy is not None else None,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            http2=self._settings.http2,
            network_backend=backend,
        )
        return _Pool(connections, proxy)

    def _build_core_proxy(self, proxy: Proxy) -> httpcore2.Proxy:
        url = proxy.url
        core_url = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"
        )
        tls = create_tls_context(self._settings.ca_file) if url.scheme == "https" else None
        return httpcore2.Proxy(core_url, auth=proxy.auth, ssl_context=tls)

    async def _check_proxied_target(self, url: httpx2.URL, seconds: float | None) -> None:
        """Check the addresses that the target resolves to here; the proxy may see others."""
        if self._guard is None or self._guard.allow_private:
            return
        host = url.raw_host.decode("ascii")
        try:
            async with connect_timeout(seconds or self._settings.connect_timeout_seconds, host):
                await resolve_allowed_addresses(host, port_of(url), self._guard)
        except httpcore2.ConnectError:
            if not self._warned:
                log.warning(
                    "%s does not resolve on this machine, so the request is not sent to the proxy; "
                    "if only the proxy resolves names, set WEBQUARRY_ALLOW_PRIVATE=1",
                    host,
                )
                self._warned = True
            raise


class _Pool:
    """Connection pool of one scheme and proxy."""

    def __init__(self, connections: httpcore2.AsyncConnectionPool, proxy: Proxy | None) -> None:
        self._connections = connections
        self._is_http_proxy = proxy is not None and not proxy.is_socks
        self._socks_errors: tuple[type[Exception], ...] = ()
        if proxy is not None and proxy.is_socks:
            from socksio import SOCKSError

            self._socks_errors = (SOCKSError, AssertionError)  # of httpcore2, on invalid replies

    async def send(
        self, request: httpx2.Request, url: httpx2.URL, extensions: dict[str, Any]
    ) -> httpx2.Response:
        """Send a request to its checked URL and return the response with an unread body."""
        host = url.raw_host
        if self._is_http_proxy and b":" in host:
            # httpcore2 writes the host as it is into the request line for the proxy.
            extensions.setdefault("sni_hostname", host.decode("ascii"))
            host = b"[" + host + b"]"
        core_request = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=extensions,
        )
        origin = core_request.url.origin
        try:
            response = await self._connections.handle_async_request(core_request)
        except (asyncio.CancelledError, httpcore2.TimeoutException):
            # The connection may be dead. HTTP/1.1 connections are closed by httpcore2.
            await self.close_http2(origin, only_idle=True)
            raise
        except self._socks_errors as error:
            raise httpcore2.ProxyError("invalid response from the SOCKS proxy") from error
        return httpx2.Response(
            response.status,
            headers=response.headers,
            stream=_ResponseStream(self, response, request, origin),
            request=request,
            extensions=response.extensions,
        )

    async def close_http2(self, origin: httpcore2.Origin, *, only_idle: bool = False) -> None:
        """Close the HTTP/2 connections to an origin, optionally unless other requests use them."""
        for connection in self._connections.connections:
            is_http2 = connection.can_handle_request(origin) and connection.can_multiplex()
            if is_http2 and (connection.is_idle() or not only_idle):
                await asyncio.shield(connection.aclose())

    async def aclose(self) -> None:
        await self._connections.aclose()


@dataclass(eq=False)
class _ResponseStream(httpx2.AsyncByteStream):
    """Body of a response, as it arrives."""

    pool: _Pool
    response: httpcore2.Response
    request: httpx2.Request
    origin: httpcore2.Origin
    is_complete: bool = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self.response.aiter_stream():
                yield chunk
            self.is_complete = True
        except _NETWORK_ERRORS as error:
            raise _map_error(error, self.request) from error
        finally:
            if not self.is_complete:
                await self.aclose()

    async def aclose(self) -> None:
        await self.response.aclose()
        if not self.is_complete and self.response.extensions.get("http_version") == b"HTTP/2":
            # httpcore2 does not acknowledge the unread rest of the body, which would use up the
            # flow control window of the connection and block later requests.
            await self.pool.close_http2(self.origin)


_NETWORK_ERRORS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
    OSError,  # such as a TLS record that is cut off within a body
)


def _map_error(error: Exception, request: httpx2.Request) -> httpx2.RequestError:
    """Return the exception of httpx2, which has the same name as that of httpcore2."""
    name = "NetworkError" if isinstance(error, OSError) else type(error).__name__
    kind: type[httpx2.RequestError] = getattr(httpx2, name)
    return kind(redact(str(error)), request=request)


def create_tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Create a TLS context with the authorities of the system and those in `ca_file`."""
    context = httpx2.create_ssl_context(trust_env=False)  # SSL_CERT_FILE would replace them
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except ssl.SSLError as error:
            raise _build_ca_error(ca_file, "holds no certificate in PEM form") from error
        except OSError as error:
            raise _build_ca_error(ca_file, "cannot be read") from error
    return context


def check_ca_file(ca_file: Path) -> None:
    """Raise `BadSetting` if the file has no PEM block; parsing it would be much slower."""
    try:
        text = ca_file.read_bytes()
    except OSError:
        raise _build_ca_error(ca_file, "cannot be read") from None
    if b"-----BEGIN " not in text:
        raise _build_ca_error(ca_file, "holds no certificate in PEM form")


def _build_ca_error(ca_file: Path, fault: str) -> BadSetting:
    return BadSetting(
        f"The file of certificate authorities {ca_file} {fault}.",
        suggested_action="Correct or unset WEBQUARRY_CA_FILE (or SSL_CERT_FILE).",
    )
