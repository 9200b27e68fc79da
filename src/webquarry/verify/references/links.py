"""The URL of a reference: alive, moved, blocked, gone, unreachable, soft-404 or wrong-page.

If it is not alive, an archived copy is looked up. A site that refuses programs counts as alive:
only 404, 410 and unknown host names are gone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from webquarry._read.reader import FetchedPage, judge_reply
from webquarry._read.workers.job import JobRunner
from webquarry._search.identity import identity
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry.errors import (
    NotFound,
    RateLimited,
    Refused,
    RobotsRefused,
    SiteRefused,
    TooLarge,
    Unreadable,
    WebquarryError,
)
from webquarry.net import models as net
from webquarry.net.client import Client
from webquarry.verify.references.judge import Judgement
from webquarry.verify.references.models import FieldCheck, IndexReply, Reference
from webquarry.verify.references.text import compare_titles, fold_letters, fold_words

State = Literal["alive", "moved", "blocked", "gone", "unreachable", "soft-404", "wrong-page"]
_GONE = (404, 410)
_MAX_BYTES = 300_000
_UNKNOWN_HOST = "was not found"
_TITLE = re.compile(r"<title[^<>]{0,300}>([^<]{0,1000})", re.IGNORECASE)
_META_TITLE = re.compile(
    r"<meta[^<>]{0,200}(?:citation_title|og:title|dc\.title)[^<>]{0,40}"
    r"content=[\"']([^\"'<>]{1,500})",
    re.IGNORECASE,
)
_SMALL_WORDS = "the a an of and or for to in on at by with from is are de la le der die das"
_SMALL = frozenset(_SMALL_WORDS.split())
_RESOLVERS = ("doi.org", "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "openlibrary.org")

Ask = Callable[[str, WorkQuestion], Awaitable[IndexReply]]


@dataclass(frozen=True)
class LinkFinding:
    """The state of a URL."""

    url: str
    state: State
    status: int | None = None
    moved_to: str = ""
    title: str = ""  # of the page
    archive: str = ""  # URL of a copy
    archived_on: str = ""

    def apply(self, reference: Reference, judgement: Judgement) -> Judgement:
        """Return the judgement with the finding of the page, which may confirm the reference."""
        if judgement.verdict not in ("not_found", "could_not_verify"):
            return judgement
        unknown = replace(judgement, verdict="could_not_verify", exists="unknown")
        if self.state not in ("alive", "moved"):
            reason = f"{judgement.reason} The address is {self.state}."
            if self.archive:
                reason += f" The archive has a copy of {self.archived_on}."
            is_open = self.state in ("blocked", "unreachable") or bool(self.archive)
            changed = unknown if is_open or reference.kind == "webpage" else judgement
            return replace(changed, reason=reason)
        checks = judgement.checks
        reason = f"The address answers, with a page called “{self.title}”."
        if reference.title:
            if not has_title(reference, self.title):
                reason = f"{judgement.reason} The page at the address is called “{self.title}”."
                return replace(unknown, reason=reason)
            reason = f"The page at the address is called “{self.title}”; no index was compared."
            checks = [FieldCheck("title", "yes", reference.title, self.title, "page")]
        return replace(
            judgement,
            verdict="confirmed",
            exists="yes",
            reason=reason,
            checks=checks,
            record=Record("page", titles=(self.title,) if self.title else (), url=self.url),
            having=[*judgement.having, "page"],
        )


def should_visit(reference: Reference, judgement: Judgement) -> bool:
    """Return whether to request the URL: a web page, or a work that no index has."""
    host = (urlsplit(reference.url).hostname or "").removeprefix("www.").removeprefix("dx.")
    if not reference.url or host in _RESOLVERS:
        return False
    is_open = judgement.verdict in ("not_found", "could_not_verify") and not judgement.having
    return is_open or reference.kind == "webpage"


def has_title(reference: Reference, title: str) -> bool:
    """Return whether the title of a page is that of the reference, with or without a site name."""
    ours = fold_letters(reference.title)
    theirs = fold_letters(title)
    if len(ours) > 5 and (ours in theirs or (theirs in ours and len(theirs) > 11)):
        return True
    return bool(title) and compare_titles(reference.title, [title]).likeness != "other"


class LinkChecker:
    """Requests URLs, and looks up archived copies of those that fail, if `ask` is given."""

    def __init__(
        self, client: Client, open_runner: Callable[[], JobRunner], ask: Ask | None
    ) -> None:
        self._client = client
        self._open_runner = open_runner
        self._ask = ask

    async def visit(self, reference: Reference) -> LinkFinding:
        """Return the state of the URL of a reference."""
        link = await self._request(reference)
        if link.state in ("alive", "moved") or self._ask is None:
            return link
        near = reference.accessed or str(reference.year or "")
        reply = await self._ask("wayback", WorkQuestion("archive", reference.url, near))
        for record in reply.records:
            return replace(link, archive=record.url, archived_on=record.date)
        return link

    async def _request(self, reference: Reference) -> LinkFinding:
        link = LinkFinding(reference.url, "alive")
        try:
            reply = await self._client.peek(reference.url, _MAX_BYTES)
            link = replace(link, status=reply.status)
            if "html" in reply.content_type:
                link = replace(link, title=read_title(reply.body))
            await self._open_runner().run(FetchedPage(reference.url, reply).to_job(judge_reply))
        except NotFound:
            return replace(link, state="gone" if link.status in _GONE else "soft-404")
        except (RobotsRefused, Refused, SiteRefused, RateLimited):
            return replace(link, state="blocked")
        except (TooLarge, Unreadable):  # it exists and cannot be read here
            return link
        except WebquarryError as error:
            return replace(link, state="gone" if _UNKNOWN_HOST in error.message else "unreachable")
        return _compare_page(reference, reply, link)


def _compare_page(reference: Reference, reply: net.Reply, finding: LinkFinding) -> LinkFinding:
    """Return the finding for a page that was read."""
    if _is_root(reply.url) and not _is_root(reference.url):
        return replace(finding, state="soft-404")
    ours = set(fold_words(reference.title)) - _SMALL
    theirs = set(fold_words(finding.title)) - _SMALL
    if ours and theirs and not ours & theirs and not has_title(reference, finding.title):
        return replace(finding, state="wrong-page")
    if reply.is_moved and identity(reference.url) != identity(reply.url):
        return replace(finding, state="moved", moved_to=reply.url)
    return finding


def read_title(body: bytes) -> str:
    """Return the title of a page, preferring its citation metadata."""
    page = body.decode("utf-8", "replace")
    found = _META_TITLE.search(page) or _TITLE.search(page)
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _is_root(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query
