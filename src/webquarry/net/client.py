"""The HTTP client: `fetch()` for any URL, `send()` for a provider's request.

Both stream, count bytes before and after decompression, keep one deadline over everything they do,
wait for the host's turn and try again where that is safe. `fetch()` trusts nobody: every hop is
judged by the guard (and every address again by the transport that dials it) and by the site's
robots.txt. `send()` goes to hosts that the user or we chose, with credentials in its headers, so it
never leaves the origin it was made for.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from ipaddress import ip_address
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

import httpx2

from webquarry.clock import Clock
from webquarry.net.budget import Budget
from webquarry.net.guard.guard import Guard
from webquarry.net.http.encodings import ACCEPTED
from webquarry.net.http.page_request import PageRequest
from webquarry.net.http.plain_headers import PlainHeaders
from webquarry.net.http.redirects import RedirectChain, build_redirected_request
from webquarry.net.http.simple_heads import write_fields
from webquarry.net.models import Reply, Validators
from webquarry.net.pacing import Pacing
from webquarry.net.sender import Sender, SentResponse
from webquarry.net.transport import open_transport
from webquarry.secret import redact
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.net.robots import Robots

ACCEPT_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_STYLE = "text/css,*/*;q=0.1"
ACCEPT_LANGUAGE = "en,*;q=0.5"  # the same for everybody: it says nothing about the user


class FetchOptions(NamedTuple):
    """How a URL is fetched."""

    accept: str
    limit: int
    most_redirects: int
    is_page: bool = True  # robots.txt is no page: it is not looked up in itself
    cut: bool = False  # the beginning of the body is enough
    conditions: Mapping[str, str] | None = None  # headers under which there is nothing to send
    known: Validators | None = None  # of an answer that may be as good as a new one


@dataclass(frozen=True)
class BrowserRequest:
    """One request of a page that a browser runs, as the browser would send it."""

    url: str
    method: str
    headers: dict[str, str]
    body: bytes
    is_page: bool  # a document: robots.txt is asked
    limit: int  # bytes of the answer
    seconds: float


class Client:
    """One per process and loop: it holds the connections, the pacing and the robots.txt files.
    Closes its transports.
    """

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
        self._pages = _LazyTransport(pages, lambda: open_transport(settings, self._guard))
        self._providers = _LazyTransport(providers, lambda: open_transport(settings, None))
        pacing = Pacing(settings.host_concurrency, settings.host_requests_per_second, clock)
        self._sender = Sender(pacing, clock)
        self._retries = settings.retries  # of requests to providers

    async def fetch(
        self,
        url: str,
        *,
        accept: str = ACCEPT_PAGE,
        conditions: Mapping[str, str] | None = None,
        known: Validators | None = None,
    ) -> Reply:
        """Whatever is at this URL, of any status; 304 where `conditions` (`If-None-Match` and the
        like) or a `known` answer say so. Raises Refused, RobotsRefused, NetworkFailure, TooLarge,
        Unreadable.
        """
        options = FetchOptions(
            accept,
            self._settings.max_bytes,
            self._settings.max_redirects,
            conditions=conditions,
            known=known,
        )
        return await self._fetch(url, options)

    async def fetch_style(self, url: str, limit: int) -> Reply:
        """A style sheet of a page, guarded as pages are. Raises TooLarge beyond so many bytes."""
        most = min(limit, self._settings.max_bytes)
        options = FetchOptions(ACCEPT_STYLE, most, self._settings.max_redirects)
        return await self._fetch(url, options)

    async def peek(self, url: str, limit: int, *, accept: str = ACCEPT_PAGE) -> Reply:
        """The same, with no more than so many bytes of the body; `is_cut` where there are more."""
        options = FetchOptions(accept, limit, self._settings.max_redirects, cut=True)
        return await self._fetch(url, options)

    async def send(self, request: httpx2.Request, *, timeout_seconds: float | None = None) -> Reply:
        """The answer to a provider's request, of any status. Redirects are followed within the same
        origin only.
        """
        if timeout_seconds is None:
            timeout_seconds = self._settings.timeout_seconds
        budget = Budget(self._clock, timeout_seconds, self._retries)
        chain = RedirectChain(self._settings.max_redirects)
        limit = self._settings.max_bytes
        async with budget.deadline():
            request = self._prepare_request(request, budget)
            while True:
                chain.add_cookies(request)
                transport = self._providers.get()
                is_ours = _is_loopback(request.url.host)  # a service that the user runs here
                sent = await self._sender.send(transport, request, budget, limit, is_ours=is_ours)
                if sent.location is None:
                    # A key may stand in the query.
                    hops = [redact(hop) for hop in chain.hops]
                    return self._build_reply(redact(str(request.url)), sent, hops)
                target = chain.follow(sent.response, sent.location)
                request = build_redirected_request(request, sent.response.status_code, target)
                budget.redirects += 1

    async def fetch_hop(self, asked: BrowserRequest) -> Reply:
        """The answer to one request of a browser's, guarded as pages are; a redirect is not
        followed but given back, for the browser asks again.
        """
        budget = Budget(self._clock, asked.seconds, self._settings.retries)
        async with budget.deadline():
            address = self._guard.check_url(asked.url)
            if asked.is_page and self._settings.robots:
                budget.doing = f"reading the robots.txt of {address.host}"
                await self._robots.check(address)
            headers = asked.headers | {
                "User-Agent": self._settings.user_agent,
                "Accept-Language": ACCEPT_LANGUAGE,
                "Accept-Encoding": ACCEPTED,
            }
            request = httpx2.Request(
                asked.method,
                address,
                headers=headers,
                content=asked.body or None,
                extensions={"timeout": self._build_timeouts(budget)},
            )
            sent = await self._sender.send(self._pages.get(), request, budget, asked.limit)
            return self._build_reply(str(request.url), sent, ())

    def without_retries(self) -> Client:
        """The same connections and pacing, for somebody who asks providers again himself."""
        client = copy.copy(self)
        client._retries = 0
        return client

    async def aclose(self) -> None:
        """Close every connection; requests under way end with an error."""
        if "_robots" in vars(self):
            await self._robots.aclose()
        await self._pages.aclose()
        await self._providers.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    @cached_property
    def _robots(self) -> Robots:
        """Loaded with the first page: a search needs none."""
        from webquarry.net.robots import Robots

        return Robots(self._settings.user_agent, self._clock, self._fetch_robots)

    async def _fetch_robots(self, url: httpx2.URL) -> Reply:
        from webquarry.net import robots

        options = FetchOptions(
            "text/plain,*/*;q=0.5", robots.LARGEST, robots.MOST_REDIRECTS, is_page=False, cut=True
        )
        return await self._fetch(str(url), options)

    async def _fetch(self, url: str, options: FetchOptions) -> Reply:
        """Ask hop by hop: every address is judged before anything is sent to it."""
        budget = Budget(self._clock, self._settings.timeout_seconds, self._settings.retries)
        chain = RedirectChain(options.most_redirects)
        async with budget.deadline():
            while True:
                address = self._guard.check_url(url)
                if options.is_page and self._settings.robots:
                    budget.doing = f"reading the robots.txt of {address.host}"
                    await self._robots.check(address)
                request = self._build_page_request(address, options, budget)
                if options.known is not None:
                    request.headers.update(options.known.write_headers(str(request.url)))
                if chain.hops:
                    chain.add_cookies(request)
                sent = await self._sender.send(
                    self._pages.get(), request, budget, options.limit, cut=options.cut
                )
                ends_here = chain.is_full and not options.is_page
                if sent.location is None or ends_here:
                    hops, is_moved = chain.hops, chain.is_moved
                    return self._build_reply(str(request.url), sent, hops, is_moved=is_moved)
                url = chain.follow(sent.response, sent.location)
                budget.redirects += 1

    def _build_page_request(
        self, url: httpx2.URL, options: FetchOptions, budget: Budget
    ) -> httpx2.Request:
        headers = _build_page_headers(url.netloc, self._settings.user_agent, options.accept)
        extensions = {"timeout": self._build_timeouts(budget)}
        request = PageRequest(url, headers.share(), extensions)
        if options.conditions:
            request.headers.update(options.conditions)
        return request

    def _prepare_request(self, request: httpx2.Request, budget: Budget) -> httpx2.Request:
        """A copy of a provider's request with what every request of ours carries; it stays the
        provider's.
        """
        headers = request.headers.copy()
        headers.setdefault("User-Agent", self._settings.user_agent)
        headers.setdefault("Accept-Encoding", ACCEPTED)
        if request.url.userinfo:  # a base URL with a password, as users have for their own servers
            credentials = f"{request.url.username}:{request.url.password}"
            token = base64.b64encode(credentials.encode()).decode("ascii")
            headers.setdefault("Authorization", f"Basic {token}")
        url = request.url
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
        """The timeouts of one request, in the form that the transport knows. All else that it waits
        for ends with the budget, whose deadline is the earlier one: it needs no timers of its own.
        """
        return {
            "connect": min(self._settings.connect_timeout_seconds, budget.seconds),
            "read": None,
            "write": None,
            "pool": None,
        }

    def _build_reply(
        self, url: str, sent: SentResponse, hops: Sequence[str], *, is_moved: bool = False
    ) -> Reply:
        return Reply(
            url=url,
            status=sent.response.status_code,
            headers=sent.response.headers,
            body=sent.body,
            fetched_at=self._clock.now(),
            hops=tuple(hops),
            is_cut=not sent.response.is_stream_consumed,
            is_moved=is_moved,
        )


@lru_cache(256)
def _build_page_headers(netloc: bytes, user_agent: str, accept: str) -> PlainHeaders:
    """What every request for a page of a host says; each has a share in it."""
    headers = httpx2.Headers(
        {
            "Host": netloc.decode("ascii"),
            "User-Agent": user_agent,
            "Accept": accept,
            "Accept-Language": ACCEPT_LANGUAGE,
            "Accept-Encoding": ACCEPTED,
        }
    )
    return PlainHeaders.of(headers, write_fields(headers))


@lru_cache(256)
def _is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _LazyTransport:
    """A transport that is opened at its first use, in the loop that runs then."""

    def __init__(
        self,
        transport: httpx2.AsyncBaseTransport | None,
        open_transport: Callable[[], httpx2.AsyncBaseTransport],
    ) -> None:
        self._transport = transport
        self._open = open_transport

    def get(self) -> httpx2.AsyncBaseTransport:
        if self._transport is None:
            self._transport = self._open()
        return self._transport

    async def aclose(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()
