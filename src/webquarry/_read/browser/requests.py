"""The requests of one page: paused by the browser and made by our client, within a budget.

Redirects are passed to the browser, so that it keeps the URL, the origin and the cookies.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urlsplit

from webquarry.errors import NetworkFailure, Refused, TooLarge, Unreadable, WebquarryError
from webquarry.net.client import BrowserRequest, Client
from webquarry.net.domains import is_same_site
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

MAX_REQUESTS = 200
MAX_BYTES = 20_000_000  # of all responses to one page
MAX_DOCUMENT = 5_000_000  # bytes; the layout of a larger document takes minutes
MAX_DOCUMENTS = 20  # navigations of the page itself
_MAX_POSTS = 20
_MAX_POSTED_BYTES = 1_000_000

# Types without text, or without an end.
_BLOCKED_TYPES = frozenset({
    "Image", "Font", "Media", "TextTrack", "EventSource", "WebSocket", "Ping", "Prefetch",
    "CSPViolationReport", "Manifest", "SignedExchange", "FedCM",
})  # fmt: skip
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DOCUMENT = "Document"
# Set by our client, or valid for one connection only.
_OWN_HEADERS = frozenset({
    "host", "user-agent", "accept-encoding", "accept-language", "connection", "content-length",
    "transfer-encoding", "upgrade", "keep-alive", "te", "trailer", "proxy-authorization",
    "proxy-connection", "expect", "range",
})  # fmt: skip
# Bodies are passed decoded and complete.
_BODY_HEADERS = frozenset({
    "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive",
    "trailer", "alt-svc", "nel", "report-to", "reporting-endpoints", "link",
})  # fmt: skip
_DISPLAYED_TYPES = ("html", "xml", "text/", "json", "javascript")


class BrowserAnswer(NamedTuple):
    """The command that answers a paused request."""

    method: str
    parameters: dict[str, Any]


class PageRequests:
    """Answers the requests of one page. The first request gets `first`, the page as it was fetched,
    unless a redirect led to it: the cookies of the redirect would be missing.
    """

    def __init__(
        self,
        client: Client,
        url: str,
        first: Reply | None,
        seconds: float,
        *,
        in_order: bool = False,
    ) -> None:
        self._client = client
        # For a replay the requests are made and answered in their order.
        self._turn: AbstractAsyncContextManager[Any] = asyncio.Lock() if in_order else nullcontext()
        self._first = None if first is None or first.hops else first
        self._first_url = urldefrag(url).url
        self._end = time.monotonic() + seconds
        self._count = 0
        self._bytes_left = MAX_BYTES
        self._documents = 0
        self._posts = 0
        self._posted_bytes = 0
        self.pending = 0
        self.document: Reply | None = None  # of the page itself, after redirects
        self.failure: WebquarryError | None = None  # of the request for the page itself
        self.blocked_frames = 0  # by robots.txt
        self.is_over_budget = False

    async def answer(self, event: dict[str, Any], *, is_main: bool) -> BrowserAnswer:
        """Make a paused request and return the command that answers it."""
        self.pending += 1
        try:
            async with self._turn:
                return _fulfil(event, await self._fetch(event, is_main=is_main))
        except WebquarryError as error:
            url, reason = redact(str(event["request"]["url"])), redact(error.message)
            log.debug("a request of the page failed: %s: %s", url, reason)
            if is_main and isinstance(error, Unreadable) and self.document is not None:
                # A download: HTTP 204 leaves the page as it is, as in browsers.
                parameters = {"requestId": event["requestId"], "responseCode": 204}
                return BrowserAnswer("Fetch.fulfillRequest", parameters)
            if is_main:
                self.failure = error
            return fail_request(event)
        finally:
            self.pending -= 1

    async def _fetch(self, event: dict[str, Any], *, is_main: bool) -> Reply:
        if is_main and self._first is not None:
            self.document, self._first = self._first, None
            return self.document
        request, kind = event["request"], event.get("resourceType", "")
        self._check_budget(request, kind, is_main=is_main)
        body = self._read_body(request)
        limit = min(self._bytes_left, MAX_DOCUMENT) if kind == _DOCUMENT else self._bytes_left
        sent = BrowserRequest(
            url=urldefrag(request["url"]).url,
            method=request["method"],
            headers=_select_headers(request["headers"]),
            body=body,
            is_page=kind == _DOCUMENT,
            limit=max(1, limit),
            seconds=max(0.1, self._end - time.monotonic()),
        )
        try:
            reply = await self._client.fetch_hop(sent)
        except WebquarryError as error:
            self.is_over_budget |= isinstance(error, TooLarge)
            self.blocked_frames += error.kind == "robots" and not is_main
            raise
        self._bytes_left -= len(reply.body)
        is_redirect = 300 <= reply.status < 400 and "location" in reply.headers
        if is_main and not is_redirect:
            _check_document(reply)
            self.document, self.failure = reply, None
        return reply

    def _check_budget(self, request: dict[str, Any], kind: str, *, is_main: bool) -> None:
        """Count a request. Raises Refused or NetworkFailure if it must not be made."""
        if kind in _BLOCKED_TYPES or urlsplit(request["url"]).path == "/favicon.ico":
            raise Refused(f"Requests of the type {kind!r} are not made.")
        self._count += 1
        self._documents += is_main
        if self._count > MAX_REQUESTS or self._bytes_left <= 0:
            self.is_over_budget = True
            raise Refused(f"The page makes more than {MAX_REQUESTS} requests, or too large ones.")
        if self._documents > MAX_DOCUMENTS:
            self.is_over_budget = True
            raise NetworkFailure(
                f"The page navigates more than {MAX_DOCUMENTS} times", retryable=False
            )

    def _read_body(self, request: dict[str, Any]) -> bytes:
        """Return the body to send. Raises Refused unless it is a POST to the site of the page,
        within the budget.
        """
        method = request["method"]
        if method in _SAFE_METHODS:
            return b""
        page = self.document.url if self.document is not None else self._first_url
        own, other = urlsplit(page).hostname or "", urlsplit(request["url"]).hostname or ""
        if method != "POST" or not is_same_site(own.lower(), other.lower()):
            raise Refused(f"A page can only send POST to its own site, not {method}.")
        entries = request.get("postDataEntries") or ()
        body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
        if not entries:
            body = str(request.get("postData", "")).encode()
        self._posts += 1
        self._posted_bytes += len(body)
        if self._posts > _MAX_POSTS or self._posted_bytes > _MAX_POSTED_BYTES:
            self.is_over_budget = True
            raise Refused("The page sends too many or too large POST requests.")
        return body


def _check_document(reply: Reply) -> None:
    """Raise Unreadable for a response that browsers would download."""
    disposition = reply.headers.get("content-disposition", "").strip().lower()
    kind = reply.content_type
    is_displayed = not kind or any(one in kind for one in _DISPLAYED_TYPES)
    if disposition.startswith("attachment") or not is_displayed:
        raise Unreadable(
            f"The page navigates to {redact(reply.url)}, which is not a page "
            f"({kind or 'a download'}).",
            suggested_action="Read that URL.",
        )


def fail_request(event: dict[str, Any]) -> BrowserAnswer:
    """Return the command that blocks a request."""
    parameters = {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
    return BrowserAnswer("Fetch.failRequest", parameters)


def _fulfil(event: dict[str, Any], reply: Reply) -> BrowserAnswer:
    headers = [
        {"name": name, "value": value}
        for name, value in reply.headers.multi_items()
        if name.lower() not in _BODY_HEADERS
    ]
    parameters = {
        "requestId": event["requestId"],
        "responseCode": reply.status,
        "responseHeaders": headers,
        "body": base64.b64encode(reply.body).decode("ascii"),
    }
    return BrowserAnswer("Fetch.fulfillRequest", parameters)


def _select_headers(headers: dict[str, str]) -> dict[str, str]:
    """Return the headers of the browser that are passed on."""
    selected = {}
    for name, value in headers.items():
        lower = name.lower()
        is_own = lower in _OWN_HEADERS or lower.startswith(("sec-ch-", "proxy-"))
        if not is_own and value.isascii() and not any(sign in value for sign in "\r\n\0"):
            selected[name] = value
    return selected
