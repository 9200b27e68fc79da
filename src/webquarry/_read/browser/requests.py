"""The requests of one page: each is paused by the browser and answered by our own client, within
the page's budget.

A request goes in as the browser describes it; out comes the command that answers it. Redirects are
handed over, so that the browser asks again, and keeps the address, the origin and the cookies.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urlsplit

from webquarry.errors import NetworkFailure, Refused, TooLarge, Unreadable, WebquarryError
from webquarry.net.client import BrowserRequest, Client
from webquarry.net.domains import is_same_site
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

MOST_REQUESTS = 200
MOST_BYTES = 20_000_000  # of all answers to one page
LARGEST_DOCUMENT = 5_000_000  # a larger one takes minutes to lay out
MOST_DOCUMENTS = 20  # that the page itself goes on to
_MOST_POSTS = 20
_MOST_POSTED_BYTES = 1_000_000

# What brings no text, or comes without end.
_REFUSED_TYPES = frozenset(
    {
        "Image", "Font", "Media", "TextTrack", "EventSource", "WebSocket", "Ping", "Prefetch",
        "CSPViolationReport", "Manifest", "SignedExchange", "FedCM",
    }
)  # fmt: skip
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DOCUMENT = "Document"
# Ours to say, or those of one connection.
_OWN_HEADERS = frozenset(
    {
        "host", "user-agent", "accept-encoding", "accept-language", "connection", "content-length",
        "transfer-encoding", "upgrade", "keep-alive", "te", "trailer", "proxy-authorization",
        "proxy-connection", "expect", "range",
    }
)  # fmt: skip
# Bodies come out of every encoding, and whole.
_BODY_HEADERS = frozenset(
    {
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive",
        "trailer", "alt-svc", "nel", "report-to", "reporting-endpoints", "link",
    }
)  # fmt: skip
_SHOWN_TYPES = ("html", "xml", "text/", "json", "javascript")


@dataclass(frozen=True)
class BrowserAnswer:
    """A command that answers a paused request."""

    method: str
    parameters: dict[str, Any]


class PageRequests:
    """Answers what one page asks for. `first` is the page as it has arrived already, unless a
    redirect led there, whose cookies would be missing: the browser's first question gets it.
    """

    def __init__(
        self,
        client: Client,
        url: str,
        first: Reply | None,
        get_seconds: Callable[[], float],
        *,
        in_order: bool = False,
    ) -> None:
        self._client = client
        self._in_order = in_order  # answers come in the order of the questions, as in a replay
        self._last_turn: asyncio.Event | None = None
        self._first = None if first is None or first.hops else first
        self._first_url = urldefrag(url).url
        self._get_seconds = get_seconds  # that are left
        self._asked = 0
        self._bytes_left = MOST_BYTES
        self._documents = 0
        self._posts = 0
        self._posted_bytes = 0
        self.pending = 0
        self.document: Reply | None = None  # what the page itself is, after redirects
        self.failure: WebquarryError | None = None  # why the page itself did not come
        self.refused_frames = 0  # by robots.txt
        self.is_over_budget = False

    async def answer(self, event: dict[str, Any], *, is_main: bool) -> BrowserAnswer:
        """What to tell the browser about a paused request."""
        self.pending += 1
        before, turn = self._last_turn, asyncio.Event()
        self._last_turn = turn
        try:
            try:
                answer = _fulfil(event, await self._fetch(event, is_main=is_main))
            except WebquarryError as error:
                url, why = redact(str(event["request"]["url"])), redact(error.message)
                log.debug("a request of the page was not answered: %s: %s", url, why)
                answer = fail_request(event)
                if is_main and isinstance(error, Unreadable) and self.document is not None:
                    answer = _stay(event)  # as browsers do when a page begins a download
                elif is_main:
                    self.failure = error
            if self._in_order and before is not None:
                await before.wait()
        finally:
            self.pending -= 1
            turn.set()
        return answer

    async def _fetch(self, event: dict[str, Any], *, is_main: bool) -> Reply:
        request = event["request"]
        kind = event.get("resourceType", "")
        if is_main and self._first is not None:
            reply, self._first = self._first, None
            self.document = reply
            return reply
        self._count(request, kind, is_main=is_main)
        body = self._read_body(request)
        limit = self._bytes_left
        if kind == _DOCUMENT:
            limit = min(limit, LARGEST_DOCUMENT)
        asked = BrowserRequest(
            url=urldefrag(request["url"]).url,
            method=request["method"],
            headers=_choose_headers(request["headers"]),
            body=body,
            is_page=kind == _DOCUMENT,
            limit=max(1, limit),
            seconds=max(0.1, self._get_seconds()),
        )
        reply = await self._ask(asked, is_main=is_main)
        self._bytes_left -= len(reply.body)
        if is_main and not _is_redirect(reply):
            self._check_document(reply)
            self.document = reply
            self.failure = None
        return reply

    async def _ask(self, asked: BrowserRequest, *, is_main: bool) -> Reply:
        try:
            return await self._client.fetch_hop(asked)
        except TooLarge:
            self.is_over_budget = True
            raise
        except WebquarryError as error:
            if error.kind == "robots" and not is_main:
                self.refused_frames += 1
            raise

    def _count(self, request: dict[str, Any], kind: str, *, is_main: bool) -> None:
        """Take a request off the budget; `Refused` where it may not be made at all."""
        if kind in _REFUSED_TYPES or urlsplit(request["url"]).path == "/favicon.ico":
            raise Refused(f"What a page loads of the kind {kind!r} is not fetched.")
        self._asked += 1
        self._documents += is_main
        if self._asked > MOST_REQUESTS or self._bytes_left <= 0:
            self.is_over_budget = True
            raise Refused(f"The page makes more than {MOST_REQUESTS} requests, or too large ones.")
        if self._documents > MOST_DOCUMENTS:
            self.is_over_budget = True
            raise NetworkFailure(
                f"The page sends the browser on more than {MOST_DOCUMENTS} times", retryable=False
            )

    def _read_body(self, request: dict[str, Any]) -> bytes:
        """What is to be sent, where that is allowed: to the page's own site, so much and so
        often.
        """
        method = request["method"]
        if method in _SAFE_METHODS:
            return b""
        page = self.document.url if self.document is not None else self._first_url
        own, other = urlsplit(page).hostname or "", urlsplit(request["url"]).hostname or ""
        if method != "POST" or not is_same_site(own.lower(), other.lower()):
            raise Refused(f"A page may send {method} to its own site at most, and only POST.")
        entries = request.get("postDataEntries") or ()
        body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
        if not entries:
            body = str(request.get("postData", "")).encode()
        self._posts += 1
        self._posted_bytes += len(body)
        if self._posts > _MOST_POSTS or self._posted_bytes > _MOST_POSTED_BYTES:
            self.is_over_budget = True
            raise Refused("The page sends more than a page may.")
        return body

    def _check_document(self, reply: Reply) -> None:
        """Refuse what browsers would download."""
        disposition = reply.headers.get("content-disposition", "").strip().lower()
        kind = reply.content_type
        is_shown = not kind or any(shown in kind for shown in _SHOWN_TYPES)
        if disposition.startswith("attachment") or not is_shown:
            raise Unreadable(
                f"The page leads the browser to {redact(reply.url)}, which is no page "
                f"({kind or 'a download'}).",
                suggested_action="Read that address.",
            )


AnswerRequest = Callable[[dict[str, Any]], Awaitable[BrowserAnswer]]


def fail_request(event: dict[str, Any]) -> BrowserAnswer:
    """The answer that a request is not made."""
    parameters = {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
    return BrowserAnswer("Fetch.failRequest", parameters)


def _stay(event: dict[str, Any]) -> BrowserAnswer:
    """The answer that there is nothing: the page that is there stays."""
    parameters = {"requestId": event["requestId"], "responseCode": 204}
    return BrowserAnswer("Fetch.fulfillRequest", parameters)


def _fulfil(event: dict[str, Any], reply: Reply) -> BrowserAnswer:
    headers = []
    for name, value in reply.headers.multi_items():
        if name.lower() not in _BODY_HEADERS:
            headers.append({"name": name, "value": value})
    parameters = {
        "requestId": event["requestId"],
        "responseCode": reply.status,
        "responseHeaders": headers,
        "body": base64.b64encode(reply.body).decode("ascii"),
    }
    return BrowserAnswer("Fetch.fulfillRequest", parameters)


def _choose_headers(headers: dict[str, str]) -> dict[str, str]:
    """The headers of the browser that are passed on."""
    chosen = {}
    for name, value in headers.items():
        lower = name.lower()
        is_ours = lower in _OWN_HEADERS or lower.startswith(("sec-ch-", "proxy-"))
        is_sendable = value.isascii() and not any(mark in value for mark in "\r\n\0")
        if not is_ours and is_sendable:
            chosen[name] = value
    return chosen


def _is_redirect(reply: Reply) -> bool:
    return 300 <= reply.status < 400 and "location" in reply.headers
