"""Redirects: where an answer leads, and what may come along.

Cookies live as long as one chain and go only where they belong (domain, path, secure). No Referer
is ever sent.
"""

from __future__ import annotations

import re
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import urljoin

import httpx2

from webquarry.errors import SERVER_FAULT, NetworkFailure, Refused
from webquarry.net.guard.strict_url import MAX_LENGTH

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LASTING = frozenset({301, 308})
_OF_THE_BODY = ("content-length", "content-type", "content-encoding", "transfer-encoding")
# urljoin would read "https:x" and "https://" as relative.
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BYTE_FOR_BYTE = "latin-1"  # one character a byte: a server may set a cookie of any bytes
# A cookie without a domain is for its host alone.
_HOST_ONLY = DefaultCookiePolicy.DomainStrictNonDomain


def location_of(response: httpx2.Response) -> str | None:
    """Where a response redirects to, as it is written there; None if it is no redirect."""
    if response.status_code not in REDIRECTS:
        return None
    return response.headers.get("location", "").strip() or None


class RedirectChain:
    """The hops of one call: the addresses asked so far, and the cookies they set."""

    def __init__(self, most: int) -> None:
        self.hops: list[str] = []
        self._are_lasting = True
        self._most = most

    @cached_property
    def _cookies(self) -> httpx2.Cookies:
        policy = DefaultCookiePolicy(strict_domain=True, strict_ns_domain=_HOST_ONLY)
        return httpx2.Cookies(CookieJar(policy))

    @property
    def is_full(self) -> bool:
        """Whether no further hop may follow."""
        return len(self.hops) >= self._most

    @property
    def is_moved(self) -> bool:
        """Whether there were redirects, all of them lasting."""
        return bool(self.hops) and self._are_lasting

    def add_cookies(self, request: httpx2.Request) -> None:
        """Give a request the cookies of this chain that belong to its address, byte for byte as the
        server set them.
        """
        request.headers.encoding = _BYTE_FOR_BYTE
        if self.hops:
            self._cookies.set_cookie_header(request)

    def follow(self, response: httpx2.Response, location: str) -> str:
        """Take down this hop and say where it leads; the caller judges the address before anything
        is sent there.
        """
        if self.is_full:
            in_a_circle = ""
            if len(set(self.hops)) < len(self.hops):
                in_a_circle = ", in a circle"
            raise NetworkFailure(
                f"{response.request.url.host} redirects more than {self._most} times{in_a_circle}",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
        self._keep_cookies(response)
        here = str(response.request.url)
        target = location
        try:
            if len(location) > MAX_LENGTH:
                raise ValueError("too long for an address")
            if not _ABSOLUTE.match(location):
                target = urljoin(here, location)
        except ValueError as error:
            raise _build_failure(response.request) from error
        self.hops.append(here)
        self._are_lasting = self._are_lasting and response.status_code in _LASTING
        return target

    def _keep_cookies(self, response: httpx2.Response) -> None:
        set_here = httpx2.Response(response.status_code, request=response.request)
        set_here.headers = httpx2.Headers(response.headers.raw, encoding=_BYTE_FOR_BYTE)
        self._cookies.extract_cookies(set_here)


def build_redirected_request(request: httpx2.Request, status: int, target: str) -> httpx2.Request:
    """A provider's request at its new address, which must be of the same origin: its headers carry
    credentials.
    """
    try:
        url = httpx2.URL(target)
        same = url.origin == request.url.origin
    except (httpx2.InvalidURL, ValueError) as error:
        raise _build_failure(request) from error
    if not same:
        raise Refused(
            f"{request.url.host} redirects to another origin, where a request with credentials "
            "is not sent.",
            suggested_action="Check the base URL of this provider.",
        )
    headers = request.headers.copy()
    if status in {307, 308} or request.method in {"GET", "HEAD"}:
        return httpx2.Request(
            request.method,
            url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )
    for name in _OF_THE_BODY:
        headers.pop(name, None)
    return httpx2.Request("GET", url, headers=headers, extensions=request.extensions)


def _build_failure(request: httpx2.Request) -> NetworkFailure:
    """The error for a redirect that cannot be followed."""
    return NetworkFailure(
        f"{request.url.host} redirects to an address that is not a URL",
        retryable=False,
        suggested_action=SERVER_FAULT,
    )
