"""The address of a reference: alive, moved, blocked, gone, unreachable, soft-404 or wrong-page.

If it is not alive, an archived copy is looked up. A site that refuses programs counts as alive:
only 404, 410 and unknown host names are gone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from webquarry._read.reader import FetchedPage, judge_reply
from webquarry._read.workers.job import JobRunner
from webquarry._search.identity import identity
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry.errors import (
    NetworkFailure,
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
from webquarry.verify.references.asker import IndexAsker
from webquarry.verify.references.judge import Judgement
from webquarry.verify.references.models import FieldCheck, Reference
from webquarry.verify.references.text import fold_letters, fold_words
from webquarry.verify.references.titles import compare_titles

State = Literal["alive", "moved", "blocked", "gone", "unreachable", "soft-404", "wrong-page"]
_BLOCKED = frozenset({401, 403, 406, 418, 429, 451, 503})
_GONE = frozenset({404, 410})
_MOST_BYTES = 300_000
_NO_NAME = "was not found"  # of an unknown host name
_TITLE = re.compile(r"<title[^<>]{0,300}>([^<]{0,1000})", re.IGNORECASE)
_META_TITLE = re.compile(
    r"<meta[^<>]{0,200}(?:citation_title|og:title|dc\.title)[^<>]{0,40}"
    r"content=[\"']([^\"'<>]{1,500})",
    re.IGNORECASE,
)
_SMALL_WORDS = "the a an of and or for to in on at by with from is are de la le der die das"
_SMALL = frozenset(_SMALL_WORDS.split())
_RESOLVERS = ("doi.org", "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "openlibrary.org")


@dataclass(frozen=True)
class LinkFinding:
    """The state of an address."""

    url: str
    state: State
    status: int | None = None
    moved_to: str = ""
    title: str = ""  # of the page
    archive: str = ""  # address of a copy
    archived_on: str = ""

    def apply(self, reference: Reference, judgement: Judgement) -> Judgement:
        """Return the judgement with the finding of the page, which may confirm the reference."""
        if judgement.verdict not in ("not_found", "could_not_verify"):
            return judgement
        copy = ""
        if self.archive:
            copy = f" The archive has a copy of {self.archived_on}."
        if self.state not in ("alive", "moved"):
            reason = f"{judgement.reason} The address is {self.state}.{copy}"
            is_open = self.state in ("blocked", "unreachable") or bool(self.archive)
            if is_open or reference.kind == "webpage":
                return replace(
                    judgement, verdict="could_not_verify", exists="unknown", reason=reason
                )
            return replace(judgement, reason=reason)
        if not reference.title:
            reason = f"The address answers, with a page called “{self.title}”."
        elif says_title(reference, self.title):
            reason = f"The page at the address is called “{self.title}”; no index was compared."
        else:
            reason = f"{judgement.reason} The page at the address is called “{self.title}”."
            return replace(judgement, verdict="could_not_verify", exists="unknown", reason=reason)
        checks = judgement.checks
        if reference.title:
            checks = [FieldCheck("title", "yes", reference.title, self.title, "page")]
        titles = tuple(filter(None, [self.title]))
        record = Record("page", titles=titles, url=self.url)
        return replace(
            judgement,
            verdict="confirmed",
            exists="yes",
            reason=reason,
            checks=checks,
            record=record,
            having=[*judgement.having, "page"],
        )


def should_visit(reference: Reference, judgement: Judgement) -> bool:
    """Return whether to request the address: a web page, or a work that no index has."""
    host = (urlsplit(reference.url).hostname or "").removeprefix("www.").removeprefix("dx.")
    if not reference.url or host in _RESOLVERS:
        return False
    if reference.kind == "webpage":
        return True
    return judgement.verdict in ("not_found", "could_not_verify") and not judgement.having


def says_title(reference: Reference, title: str) -> bool:
    """Return whether the title of a page is that of the reference, with or without a site name."""
    if not title:
        return False
    ours = fold_letters(reference.title)
    theirs = fold_letters(title)
    if len(ours) > 5 and (ours in theirs or (theirs in ours and len(theirs) > 11)):
        return True
    return compare_titles(reference.title, [title]).likeness in ("same", "short", "near")


class LinkChecker:
    """Requests addresses, and looks up archived copies of those that fail."""

    def __init__(
        self,
        client: Client,
        open_runner: Callable[[], JobRunner],
        asker: IndexAsker,
        indexes: frozenset[str],
    ) -> None:
        self._client = client
        self._open_runner = open_runner
        self._asker = asker
        self._indexes = indexes

    async def visit(self, reference: Reference) -> LinkFinding:
        """Return the state of the address of a reference."""
        link = await self._look(reference)
        if link.state in ("alive", "moved") or "wayback" not in self._indexes:
            return link
        near = reference.accessed or str(reference.year or "")
        reply = await self._asker.ask("wayback", WorkQuestion("archive", reference.url, near))
        for record in reply.records:
            return replace(link, archive=record.url, archived_on=record.date)
        return link

    async def _look(self, reference: Reference) -> LinkFinding:
        url = reference.url
        try:
            reply = await self._fetch(url)
        except NetworkFailure as error:
            return LinkFinding(url, "gone" if _NO_NAME in error.message else "unreachable")
        except (RobotsRefused, Refused, SiteRefused, RateLimited):
            return LinkFinding(url, "blocked")
        except (TooLarge, Unreadable):
            return LinkFinding(url, "alive")
        except WebquarryError:
            return LinkFinding(url, "unreachable")
        if reply.status in _GONE:
            return LinkFinding(url, "gone", reply.status)
        if reply.status in _BLOCKED:
            return LinkFinding(url, "blocked", reply.status)
        if not 200 <= reply.status < 300:
            return LinkFinding(url, "unreachable", reply.status)
        return await self._judge_page(reference, reply)

    async def _fetch(self, url: str) -> net.Reply:
        """Return the beginning of the page; an unknown host name is resolved twice."""
        try:
            return await self._client.peek(url, _MOST_BYTES)
        except NetworkFailure as error:
            if _NO_NAME not in error.message:
                raise
            return await self._client.peek(url, _MOST_BYTES)

    async def _judge_page(self, reference: Reference, reply: net.Reply) -> LinkFinding:
        """Return whether a page is the one that is cited."""
        url = reference.url
        status = reply.status
        title = read_title(reply.body) if "html" in reply.content_type else ""
        try:
            await self._open_runner().run(FetchedPage(url, reply).to_job(judge_reply))
        except NotFound:
            return LinkFinding(url, "soft-404", status, title=title)
        except (SiteRefused, RateLimited):
            return LinkFinding(url, "blocked", status, title=title)
        except WebquarryError:  # it exists and cannot be read here
            return LinkFinding(url, "alive", status, title=title)
        if _is_root(reply.url) and not _is_root(url):
            return LinkFinding(url, "soft-404", status, title=title)
        if reference.title and title and not _shares_word(reference.title, title):
            return LinkFinding(url, "wrong-page", status, title=title)
        if reply.is_moved and identity(url) != identity(reply.url):
            return LinkFinding(url, "moved", status, reply.url, title)
        return LinkFinding(url, "alive", status, title=title)


def read_title(body: bytes) -> str:
    """Return the title of a page, preferring its citation metadata."""
    page = body.decode("utf-8", "replace")
    stated = _META_TITLE.search(page) or _TITLE.search(page)
    return " ".join(html.unescape(stated[1]).split()) if stated else ""


def _is_root(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _shares_word(title: str, page_title: str) -> bool:
    """Return whether two titles share a significant word."""
    ours = set(fold_words(title)) - _SMALL
    theirs = set(fold_words(page_title)) - _SMALL
    if ours & theirs or not ours or not theirs:
        return True
    return fold_letters(title) in fold_letters(page_title)
