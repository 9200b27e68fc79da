"""Redirects: the chain of hops of one call, with its cookies.

Cookies live as long as one chain and are sent by the rules of RFC 6265 (domain, path, secure). A
Referer is never sent.
"""

from __future__ import annotations

import re
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import urljoin

import httpx2

from webquarry.errors import SERVER_FAULT, NetworkFailure, Refused
from webquarry.net.models import Reply
from webquarry.net.strict_url import MAX_LENGTH

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})
_BODY_HEADERS = ("content-length", "content-type", "content-encoding", "transfer-encoding")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")  # urljoin takes "https:x" for relative
_RAW_BYTES = "latin-1"  # decodes any byte: cookies are sent back as they were set


def location_of(status: int, headers: httpx2.Headers) -> str | None:
    """Return the Location of a redirect as written, or None."""
    if status not in _REDIRECTS:
        return None
    return headers.get("location", "").strip() or None


class RedirectChain:
    """Requested URLs and cookies of one call."""

    def __init__(self, max_redirects: int) -> None:
        self.hops: list[str] = []
        self._is_permanent = True
        self._max_redirects = max_redirects

    @cached_property
    def _cookies(self) -> httpx2.Cookies:
        # A cookie without a domain is sent to its own host only.
        host_only = DefaultCookiePolicy.DomainStrictNonDomain
        policy = DefaultCookiePolicy(strict_domain=True, strict_ns_domain=host_only)
        return httpx2.Cookies(CookieJar(policy))

    @property
    def is_full(self) -> bool:
        return len(self.hops) >= self._max_redirects

    @property
    def is_moved(self) -> bool:
        """Whether there were redirects and all were permanent."""
        return bool(self.hops) and self._is_permanent

    def add_cookies(self, request: httpx2.Request) -> None:
        """Add the cookies of the chain that match the URL of a request."""
        if self.hops:
            request.headers.encoding = _RAW_BYTES
            self._cookies.set_cookie_header(request)

    def follow(self, request: httpx2.Request, reply: Reply, location: str) -> str:
        """Record the hop and return its target, which the caller has to check before requesting it.
        Raises `NetworkFailure` if there are too many hops or the target is not a URL.
        """
        if self.is_full:
            circular = ", in a circle" if len(set(self.hops)) < len(self.hops) else ""
            raise NetworkFailure(
                f"{request.url.host} redirects more than {self._max_redirects} times{circular}",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
        response = httpx2.Response(reply.status, request=request)
        response.headers = httpx2.Headers(reply.headers.raw, encoding=_RAW_BYTES)
        self._cookies.extract_cookies(response)
        target = location
        try:
            if len(location) > MAX_LENGTH:
                raise ValueError("the location is too long")
            if not _ABSOLUTE.match(location):
                target = urljoin(reply.url, location)
        except ValueError as error:
            raise _build_target_error(request) from error
        self.hops.append(reply.url)
        self._is_permanent = self._is_permanent and reply.status in _PERMANENT
        return target


def build_redirected_request(request: httpx2.Request, status: int, target: str) -> httpx2.Request:
    """Return the request for the target of a redirect, which must have the same origin because the
    headers contain credentials. Raises `Refused`.
    """
    try:
        url = httpx2.URL(target)
        is_same_origin = url.origin == request.url.origin
    except (httpx2.InvalidURL, ValueError) as error:
        raise _build_target_error(request) from error
    if not is_same_origin:
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
    for name in _BODY_HEADERS:
        headers.pop(name, None)
    return httpx2.Request("GET", url, headers=headers, extensions=request.extensions)


def _build_target_error(request: httpx2.Request) -> NetworkFailure:
    return NetworkFailure(
        f"{request.url.host} redirects to an address that is not a URL",
        retryable=False,
        suggested_action=SERVER_FAULT,
    )
