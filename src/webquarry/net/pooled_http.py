"""Requests over TLS or through a proxy: httpcore2's pools, with our own network below (`dial.py`).

Direct connections are judged on the addresses really dialled; behind a proxy, the target is judged
on the addresses its name resolves to before the proxy hears of it. Loaded when the first such
request is made.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path

import httpcore2
import httpx2

from webquarry.net.connecting import resolve_allowed_addresses, time_limit
from webquarry.net.dial import Dialler
from webquarry.net.guard.guard import Guard
from webquarry.net.guard.strict_url import port_of
from webquarry.net.http.authorities import build_authorities_error
from webquarry.net.http.plain_headers import NO_HEADERS, build_headers
from webquarry.net.http.translation import TranslatedErrors
from webquarry.net.plain_http import IDLE_SECONDS, MAX_CONNECTIONS, MAX_IDLE_CONNECTIONS
from webquarry.net.proxies import Proxies, Proxy
from webquarry.settings import Settings

log = logging.getLogger(__name__)

SILENT_SECONDS = 0.5  # after which a connection whose request ran out of time is not trusted


class PooledConnections:
    """One pool for direct connections and one for each proxy."""

    def __init__(
        self,
        settings: Settings,
        guard: Guard | None,
        proxies: Proxies,
        sockets: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._warned = False
        self._dialler = Dialler(guard, settings.connect_timeout_seconds, sockets)
        self._direct: dict[str, httpcore2.AsyncConnectionPool] = {}  # by scheme
        self._to_proxy = Dialler(None, settings.connect_timeout_seconds, sockets)
        self._by_proxy: dict[Proxy, httpcore2.AsyncConnectionPool] = {}
        for proxy in set(proxies.by_scheme.values()):
            core_proxy = self._build_core_proxy(proxy)
            self._by_proxy[proxy] = self._open_pool(self._to_proxy, self._tls, core_proxy)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Takes a while to open, and is not needed for a SearXNG of the user's own."""
        return open_tls(self._settings.ca_file)

    async def _open_tls(self) -> None:
        """Read the certificate authorities in a thread: nobody else waits for them."""
        if "_tls" not in vars(self):
            await asyncio.to_thread(getattr, self, "_tls")

    def _find_pool(self, scheme: str, proxy: Proxy | None) -> httpcore2.AsyncConnectionPool:
        """The pool that a request goes through."""
        if proxy is not None:
            return self._by_proxy[proxy]
        if scheme not in self._direct:
            tls = self._tls if scheme == "https" else None
            self._direct[scheme] = self._open_pool(self._dialler, tls)
        return self._direct[scheme]

    def _open_pool(
        self, network: Dialler, tls: ssl.SSLContext | None, proxy: httpcore2.Proxy | None = None
    ) -> httpcore2.AsyncConnectionPool:
        return httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            proxy=proxy,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            http2=self._settings.http2,
            network_backend=network,
        )

    def _build_core_proxy(self, proxy: Proxy) -> httpcore2.Proxy:
        url = proxy.url
        password = ""
        if proxy.password is not None:
            password = proxy.password.reveal()
        auth = None
        if proxy.user or password:
            auth = (proxy.user.encode(), password.encode())
        tls = None
        if url.scheme == "https":
            # A context of its own, as the pool sets the protocols offered on the context.
            tls = open_tls(self._settings.ca_file)
        address = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"
        )
        return httpcore2.Proxy(address, auth=auth, ssl_context=tls)

    async def send(
        self,
        request: httpx2.Request,
        url: httpx2.URL,
        timeouts: dict[str, float | None],
        proxy: Proxy | None,
    ) -> httpx2.Response:
        """The response to a request, whose body is still to be read; `url` is what was judged."""
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        if url.scheme == "https":
            await self._open_tls()
        pool = self._find_pool(url.scheme, proxy)
        socks_errors: AbstractContextManager[None] = nullcontext()
        if proxy is not None and proxy.is_socks:
            socks_errors = _translate_socks_errors()
        with TranslatedErrors(request):
            if proxy is not None and self._guard is not None:
                await self._judge_behind_proxy(url, timeouts, self._guard)
            core_request = _build_core_request(request, url, timeouts, proxy)
            try:
                with socks_errors:
                    response = await pool.handle_async_request(core_request)
            except (asyncio.CancelledError, httpcore2.TimeoutException):
                await self._close_if_silent(core_request.url, proxy)
                raise

        async def close_if_silent() -> None:
            await self._close_if_silent(core_request.url, proxy)

        answer = httpx2.Response(
            response.status,
            headers=NO_HEADERS,
            stream=ResponseBody(response, request, close_if_silent),
            extensions=response.extensions,
        )
        answer.headers = build_headers(response.headers)
        return answer

    async def _close_if_silent(self, url: httpcore2.URL, proxy: Proxy | None) -> None:
        """After a request that ran out of time: an HTTP/2 connection on which nothing comes any
        more is closed. It would be taken for the next request to its origin, and for all others.
        """
        pool = self._find_pool(url.scheme.decode("ascii"), proxy)
        dialler = self._dialler
        host, port = url.host.decode("ascii"), url.origin.port
        if proxy is not None:
            dialler = self._to_proxy
            host, port = proxy.url.raw_host.decode("ascii"), port_of(proxy.url)
        if dialler.silent_seconds(host, port) < SILENT_SECONDS:
            return
        for connection in pool.connections:
            if connection.can_handle_request(url.origin) and "HTTP/2" in connection.info():
                log.debug("an HTTP/2 connection to %s is silent and was closed", host)
                await asyncio.shield(connection.aclose())

    async def _judge_behind_proxy(
        self, url: httpx2.URL, timeouts: dict[str, float | None], guard: Guard
    ) -> None:
        """Every address that the name has here; a proxy that sees others is the user's own."""
        if guard.allow_private:
            return
        host = url.raw_host.decode("ascii")
        limit = timeouts.get("connect") or self._settings.connect_timeout_seconds
        try:
            async with time_limit(limit, host):
                await resolve_allowed_addresses(host, port_of(url), guard)
        except httpx2.ConnectError:
            if not self._warned:
                log.warning(
                    "%s does not resolve here, so it is not asked of the proxy; "
                    "if only your proxy resolves names, WEBQUARRY_ALLOW_PRIVATE=1 leaves the "
                    "judgement to it",
                    host,
                )
                self._warned = True
            raise

    async def aclose(self) -> None:
        for pool in (*self._direct.values(), *self._by_proxy.values()):
            await pool.aclose()


class ResponseBody(httpx2.AsyncByteStream):
    """The body of a response, as it arrives."""

    def __init__(
        self,
        response: httpcore2.Response,
        request: httpx2.Request,
        close_if_silent: Callable[[], Awaitable[None]],
    ) -> None:
        self._response = response
        self._request = request
        self._close_if_silent = close_if_silent

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with TranslatedErrors(self._request):
            try:
                async for part in self._response.aiter_stream():
                    yield part
            except (asyncio.CancelledError, httpcore2.TimeoutException):
                await self._close_if_silent()
                raise

    async def aclose(self) -> None:
        with TranslatedErrors(self._request):
            await self._response.aclose()


def _build_core_request(
    request: httpx2.Request,
    url: httpx2.URL,
    timeouts: dict[str, float | None],
    proxy: Proxy | None,
) -> httpcore2.Request:
    """The same request for a pool."""
    extensions = {**request.extensions, "timeout": timeouts}
    host = url.raw_host
    if proxy is not None and not proxy.is_socks and b":" in host:
        # httpcore2 writes the host into the proxy's request line as it is, and an IPv6 address
        # needs brackets there.
        extensions.setdefault("sni_hostname", host.decode("ascii"))
        host = b"[" + host + b"]"
    return httpcore2.Request(
        method=request.method,
        url=httpcore2.URL(scheme=url.raw_scheme, host=host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=extensions,
    )


def open_tls(ca_file: Path | None) -> ssl.SSLContext:
    """The system's certificate authorities, and those of the file besides."""
    # Trusting the environment, SSL_CERT_FILE would replace the system's.
    context = httpx2.create_ssl_context(trust_env=False)
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except OSError as error:
            fault = "cannot be read"
            if isinstance(error, ssl.SSLError):
                fault = "holds no certificate in PEM form"
            raise build_authorities_error(ca_file, fault) from error
    return context


@contextmanager
def _translate_socks_errors() -> Iterator[None]:
    """httpcore2 lets a SOCKS proxy that breaks off or talks nonsense surface as errors of socksio,
    or as asserts.
    """
    from socksio import SOCKSError

    try:
        yield
    except (SOCKSError, AssertionError) as error:
        raise httpcore2.ProxyError("the SOCKS proxy did not answer as one") from error
