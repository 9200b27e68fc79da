"""The HTTP client: `fetch()` for any URL, `send()` for the request of a provider.

Both have one deadline, limits on the size of the body before and after decompression, rate limits
per host and retries where they are safe. `fetch()` checks every hop with the guard (the transport
checks the address of every connection) and with robots.txt. `send()` is for hosts that the user or
webquarry chose, with credentials, and does not leave the origin of the request.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import httpx2

from webquarry.clock import Clock
from webquarry.net.body import ACCEPT_ENCODING
from webquarry.net.guard import Guard, parse_address
from webquarry.net.models import Reply, Validators
from webquarry.net.pacing import Pacing
from webquarry.net.redirects import RedirectChain, build_redirected_request, location_of
from webquarry.net.sender import Budget, Sender
from webquarry.secret import redact
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.net.robots import Robots

ACCEPT_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_STYLE = "text/css,*/*;q=0.1"
ACCEPT_LANGUAGE = "en,*;q=0.5"  # the same for every user
_NO_BODY = httpx2.ByteStream(b"")


@dataclass(frozen=True)
class BrowserRequest:
    """A request of a page that runs in a browser."""

    url: str
    method: str
    headers: dict[str, str]
    body: bytes
    is_page: bool  # a document, to which robots.txt applies
    limit: int  # of the response, in bytes
    seconds: float


class Client:
    """Connections, rate limits and robots.txt files of one event loop. Closes its transports."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        pages: httpx2.AsyncBaseTransport | None = None,
        providers: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._guard = Guard.from_settings(settings)
        self._transports: dict[bool, httpx2.AsyncBaseTransport] = {}  # guarded or not
        if pages is not None:
            self._transports[True] = pages
        if providers is not None:
            self._transports[False] = providers
        pacing = Pacing(settings.host_concurrency, settings.host_requests_per_second, clock)
        self._sender = Sender(pacing, clock)
        self._provider_retries = settings.retries

    async def fetch(
        self,
        url: str,
        *,
        accept: str = ACCEPT_PAGE,
        known: Validators | None = None,
    ) -> Reply:
        """Fetch a URL and return its reply of any status; 304 if the validators of a `known` reply
        match. Raises `Refused`, `RobotsRefused`, `NetworkFailure`, `TooLarge`, `Unreadable`.
        """
        return await self._fetch(url, accept, self._settings.max_bytes, known=known)

    async def fetch_style(self, url: str, limit: int) -> Reply:
        """Fetch a style sheet. Raises `TooLarge` above `limit` bytes."""
        return await self._fetch(url, ACCEPT_STYLE, min(limit, self._settings.max_bytes))

    async def peek(self, url: str, limit: int, *, accept: str = ACCEPT_PAGE) -> Reply:
        """Fetch the first `limit` bytes of a URL; `is_cut` tells if there are more."""
        return await self._fetch(url, accept, limit, cut=True)

    async def fetch_hop(self, asked: BrowserRequest) -> Reply:
        """Send one request of a browser, guarded like `fetch`; redirects are returned."""
        budget = Budget(self._clock, asked.seconds, self._settings.retries)
        async with budget:
            url = await self._check_page(asked.url, budget, check_robots=asked.is_page)
            request = self._build_request(url, asked.headers, budget, asked.method, asked.body)
            transport = self._get_transport(guarded=True)
            return await self._sender.send(transport, request, budget, asked.limit)

    async def send(self, request: httpx2.Request, *, timeout_seconds: float | None = None) -> Reply:
        """Send the request of a provider and return its reply of any status."""
        if timeout_seconds is None:
            timeout_seconds = self._settings.timeout_seconds
        budget = Budget(self._clock, timeout_seconds, self._provider_retries)
        chain = RedirectChain(self._settings.max_redirects)
        limit = self._settings.max_bytes
        async with budget:
            request = self._prepare_request(request, budget)
            while True:
                chain.add_cookies(request)
                transport = self._get_transport(guarded=False)
                address = parse_address(request.url.host)
                is_local = address.is_loopback if address else request.url.host == "localhost"
                reply = await self._sender.send(
                    transport, request, budget, limit, is_local=is_local
                )
                location = location_of(reply.status, reply.headers)
                if location is None:
                    hops = tuple(redact(hop) for hop in chain.hops)  # a query may contain a key
                    return replace(reply, url=redact(reply.url), hops=hops)
                target = chain.follow(request, reply, location)
                request = build_redirected_request(request, reply.status, target)
                budget.redirects += 1

    async def warm_up(self) -> None:
        """Open what the first request to a provider needs."""
        from webquarry.net.transport import Transport

        transport = self._get_transport(guarded=False)
        if isinstance(transport, Transport):  # neither a replay nor a recorder
            await transport.warm_up()

    async def aclose(self) -> None:
        """Close all connections; requests in progress fail."""
        if "_robots" in vars(self):
            await self._robots.aclose()
        for transport in self._transports.values():
            await transport.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _fetch(
        self,
        url: str,
        accept: str,
        limit: int,
        *,
        max_redirects: int | None = None,
        is_page: bool = True,
        cut: bool = False,
        known: Validators | None = None,
    ) -> Reply:
        """Fetch a URL hop by hop; each is checked before a request is sent to it."""
        if max_redirects is None:
            max_redirects = self._settings.max_redirects
        budget = Budget(self._clock, self._settings.timeout_seconds, self._settings.retries)
        chain = RedirectChain(max_redirects)
        async with budget:
            while True:
                checked = await self._check_page(url, budget, check_robots=is_page)
                headers = {"Accept": accept}
                if known is not None:
                    headers |= known.write_headers(str(checked))
                request = self._build_request(checked, headers, budget)
                chain.add_cookies(request)
                transport = self._get_transport(guarded=True)
                reply = await self._sender.send(transport, request, budget, limit, cut=cut)
                location = location_of(reply.status, reply.headers)
                if location is None or (chain.is_full and not is_page):
                    return replace(reply, hops=tuple(chain.hops), is_moved=chain.is_moved)
                url = chain.follow(request, reply, location)
                budget.redirects += 1

    async def _check_page(self, url: str, budget: Budget, *, check_robots: bool) -> httpx2.URL:
        """Return the URL to request. Raises `Refused` and `RobotsRefused`."""
        checked = self._guard.check_url(url)
        if check_robots and self._settings.robots:
            budget.activity = f"reading the robots.txt of {checked.host}"
            await self._robots.check(checked)
        return checked

    @cached_property
    def _robots(self) -> Robots:
        from webquarry.net import robots  # a search does not need it

        async def fetch(url: httpx2.URL) -> Reply:
            return await self._fetch(
                str(url),
                "text/plain,*/*;q=0.5",
                robots.MAX_BYTES,
                max_redirects=robots.MAX_REDIRECTS,
                is_page=False,
                cut=True,
            )

        return robots.Robots(self._settings.user_agent, self._clock, fetch)

    def _get_transport(self, *, guarded: bool) -> httpx2.AsyncBaseTransport:
        """Return the transport for pages (guarded) or for providers."""
        if guarded not in self._transports:
            from webquarry.net.transport import Transport  # a replay needs no connections

            guard = self._guard if guarded else None
            self._transports[guarded] = Transport(self._settings, guard)
        return self._transports[guarded]

    def _build_request(
        self,
        url: httpx2.URL,
        headers: Mapping[str, str],
        budget: Budget,
        method: str = "GET",
        body: bytes = b"",
    ) -> httpx2.Request:
        return httpx2.Request(
            method,
            url,
            headers={
                "Host": url.netloc.decode("ascii"),
                "User-Agent": self._settings.user_agent,
                **headers,
                "Accept-Language": ACCEPT_LANGUAGE,
                "Accept-Encoding": ACCEPT_ENCODING,
            },
            content=body or None,
            stream=_NO_BODY if method == "GET" else None,  # saves deriving headers from the content
            extensions={"timeout": self._build_timeouts(budget)},
        )

    def _prepare_request(self, request: httpx2.Request, budget: Budget) -> httpx2.Request:
        """Return a copy of a request with our headers and the credentials of its URL."""
        headers = request.headers.copy()
        headers.setdefault("User-Agent", self._settings.user_agent)
        headers.setdefault("Accept-Encoding", ACCEPT_ENCODING)
        url = request.url
        if url.userinfo:  # a base URL with a password, for a server of the user
            token = base64.b64encode(f"{url.username}:{url.password}".encode()).decode("ascii")
            headers.setdefault("Authorization", f"Basic {token}")
        if url.userinfo or url.fragment:
            url = url.copy_with(userinfo=b"", fragment=None)
        return httpx2.Request(
            request.method,
            url,
            headers=headers,
            stream=request.stream,
            extensions={**request.extensions, "timeout": self._build_timeouts(budget)},
        )

    def _build_timeouts(self, budget: Budget) -> dict[str, float | None]:
        """Only connecting has its own timeout; the deadline of the budget ends everything else."""
        connect = min(self._settings.connect_timeout_seconds, budget.seconds)
        return {"connect": connect, "read": None, "write": None, "pool": None}
