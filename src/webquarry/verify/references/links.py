"""The address of a reference -> whether it leads to what is cited: alive, moved, blocked, gone,
unreachable, a page that says "not found", or another page; and an archive's copy where it does not.

A site that refuses programs is alive: only 404, 410 and a name that does not resolve are gone.
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
_NO_NAME = "was not found"  # of a name that nobody has
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
    """What an address leads to today."""

    url: str
    state: State
    status: int | None = None
    moved_to: str = ""
    title: str = ""  # of the page
    archive: str = ""  # address of a copy
    archived_on: str = ""

    def apply(self, reference: Reference, judgement: Judgement) -> Judgement:
        """The judgement with what the page says: it may confirm what no index has, and where it
        could not be looked at, nothing was found out.
        """
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
    """Whether the address of a reference is worth a request: it is a page on the web, or no index
    has the work.
    """
    host = (urlsplit(reference.url).hostname or "").removeprefix("www.").removeprefix("dx.")
    if not reference.url or host in _RESOLVERS:
        return False
    if reference.kind == "webpage":
        return True
    return judgement.verdict in ("not_found", "could_not_verify") and not judgement.having


def says_title(reference: Reference, title: str) -> bool:
    """Whether a page's title is that of the reference, with the site's name or without."""
    if not title:
        return False
    ours = fold_letters(reference.title)
    theirs = fold_letters(title)
    if len(ours) > 5 and (ours in theirs or (theirs in ours and len(theirs) > 11)):
        return True
    return compare_titles(reference.title, [title]).likeness in ("same", "short", "near")


class LinkChecker:
    """Looks at addresses as a guarded reader does, and asks the archive about those that fail."""

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
        """The state of a reference's address."""
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
        """The beginning of the page; a name that does not resolve is looked up twice."""
        try:
            return await self._client.peek(url, _MOST_BYTES)
        except NetworkFailure as error:
            if _NO_NAME not in error.message:
                raise
            return await self._client.peek(url, _MOST_BYTES)

    async def _judge_page(self, reference: Reference, reply: net.Reply) -> LinkFinding:
        """Whether a page that was sent is the one that is cited."""
        url = reference.url
        status = reply.status
        title = read_title(reply.body) if "html" in reply.content_type else ""
        try:
            await self._open_runner().run(FetchedPage(url, reply).to_job(judge_reply))
        except NotFound:
            return LinkFinding(url, "soft-404", status, title=title)
        except (SiteRefused, RateLimited):
            return LinkFinding(url, "blocked", status, title=title)
        except WebquarryError:  # it is there, and nobody here can read it
            return LinkFinding(url, "alive", status, title=title)
        if _is_root(reply.url) and not _is_root(url):
            return LinkFinding(url, "soft-404", status, title=title)
        if reference.title and title and not _shares_word(reference.title, title):
            return LinkFinding(url, "wrong-page", status, title=title)
        if reply.is_moved and identity(url) != identity(reply.url):
            return LinkFinding(url, "moved", status, reply.url, title)
        return LinkFinding(url, "alive", status, title=title)


def read_title(body: bytes) -> str:
    """The title of a page, the one that it gives to citations first."""
    page = body.decode("utf-8", "replace")
    stated = _META_TITLE.search(page) or _TITLE.search(page)
    return " ".join(html.unescape(stated[1]).split()) if stated else ""


def _is_root(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _shares_word(title: str, page_title: str) -> bool:
    """Whether two titles have a word in common that says something."""
    ours = set(fold_words(title)) - _SMALL
    theirs = set(fold_words(page_title)) - _SMALL
    if ours & theirs or not ours or not theirs:
        return True
    return fold_letters(title) in fold_letters(page_title)
