"""The address of a reference -> whether it leads to what is cited: alive, moved, blocked, gone,
unreachable, a page that says "not found", or another page; and an archive's copy where it does not.

A site that refuses programs is alive: only 404, 410 and a name that does not resolve are gone.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from webquarry.errors import (
    NetworkFailure,
    Refused,
    RobotsRefused,
    SiteRefused,
    TooLarge,
    Unreadable,
    WebquarryError,
)
from webquarry.net import models as net
from webquarry.net.client import Client
from webquarry.read.text.words import Words
from webquarry.read.walls.soft_404 import is_soft_404
from webquarry.search.replies.body import asks_for_proof
from webquarry.settings import Settings
from webquarry.verify.references.asker import IndexAsker
from webquarry.verify.references.compare.fold import fold_letters, fold_words
from webquarry.verify.references.compare.titles import compare_titles
from webquarry.verify.references.judge import Judgement
from webquarry.verify.references.models import FieldCheck, Record, Reference, WorkQuestion

State = Literal["alive", "moved", "blocked", "gone", "unreachable", "soft-404", "wrong-page"]
_BLOCKED = frozenset({401, 403, 406, 418, 429, 451, 503})
_GONE = frozenset({404, 410})
_MOST_BYTES = 300_000
_NO_NAME = "does not resolve"
_TITLE = re.compile(r"<title[^<>]{0,300}>([^<]{0,1000})", re.IGNORECASE)
_META_TITLE = re.compile(
    r"<meta[^<>]{0,200}(?:citation_title|og:title|dc\.title)[^<>]{0,40}"
    r"content=[\"']([^\"'<>]{1,500})",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"<(script|style|noscript)\b[^<]*+(?:<(?!/\1\b)[^<]*+)*+", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
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
        copy = f" The archive has a copy of {self.archived_on}." if self.archive else ""
        if self.state not in ("alive", "moved"):
            reason = f"{judgement.reason} The address is {self.state}.{copy}"
            if self.state in ("blocked", "unreachable") or reference.kind == "webpage":
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
        record = Record("page", titles=(self.title,) if self.title else (), url=self.url)
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
    ours, theirs = fold_letters(reference.title), fold_letters(title)
    if len(ours) > 5 and (ours in theirs or (theirs in ours and len(theirs) > 11)):
        return True
    return compare_titles(reference.title, [title]).likeness in ("same", "short", "near")


class LinkChecker:
    """Looks at addresses as a guarded reader does, and asks the archive about those that fail."""

    def __init__(
        self, client: Client, asker: IndexAsker, settings: Settings, indexes: frozenset[str]
    ) -> None:
        self._client = client
        self._asker = asker
        self._settings = settings
        self._indexes = indexes

    async def visit(self, reference: Reference) -> LinkFinding:
        """The state of a reference's address."""
        link = await self._look(reference)
        if link.state in ("alive", "moved") or "wayback" not in self._indexes:
            return link
        near = reference.accessed or (str(reference.year) if reference.year else "")
        reply = await self._asker.ask("wayback", WorkQuestion("archive", reference.url, near))
        for record in reply.records:
            return replace(link, archive=record.url, archived_on=record.date)
        return link

    async def _look(self, reference: Reference) -> LinkFinding:
        url = reference.url
        for is_last in (False, True):  # a name that does not resolve is looked up twice
            try:
                reply = await self._client.peek(url, _MOST_BYTES)
            except NetworkFailure as error:
                if _NO_NAME in error.message and not is_last:
                    continue
                is_gone = _NO_NAME in error.message
                return LinkFinding(url, "gone" if is_gone else "unreachable")
            except (RobotsRefused, Refused, SiteRefused):
                return LinkFinding(url, "blocked")
            except (TooLarge, Unreadable):
                return LinkFinding(url, "alive")
            except WebquarryError:
                return LinkFinding(url, "unreachable")
            return read_link(reference, reply)
        return LinkFinding(url, "unreachable")


def read_link(reference: Reference, reply: net.Reply) -> LinkFinding:
    """What a reply says about the address that was asked."""
    url, status = reference.url, reply.status
    if status in _GONE:
        return LinkFinding(url, "gone", status)
    if status in _BLOCKED:
        return LinkFinding(url, "blocked", status)
    if status >= 400 or status < 200:
        return LinkFinding(url, "unreachable", status)
    is_html = "html" in reply.content_type or not reply.content_type
    if not is_html:
        return LinkFinding(url, "alive", status)
    title, text = read_title(reply.body)
    if asks_for_proof(reply.body) and len(text) < 2_000:
        return LinkFinding(url, "blocked", status, title=title)
    went_to_root = _is_root(reply.url) and not _is_root(url)
    if went_to_root or is_soft_404(reply.url, title, Words(text[:20_000])):
        return LinkFinding(url, "soft-404", status, title=title)
    if reference.title and title and not _shares_word(reference.title, title):
        return LinkFinding(url, "wrong-page", status, title=title)
    if reply.is_moved and _differs(url, reply.url):
        return LinkFinding(url, "moved", status, reply.url, title)
    return LinkFinding(url, "alive", status, title=title)


def read_title(body: bytes) -> tuple[str, str]:
    """The title of a page, the one that it gives to citations first, and its text."""
    page = body.decode("utf-8", "replace")
    stated = _META_TITLE.search(page) or _TITLE.search(page)
    title = " ".join(html.unescape(stated[1]).split()) if stated else ""
    text = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", page)))
    return title, " ".join(text.split())


def _is_root(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _differs(url: str, other: str) -> bool:
    """Whether two addresses differ in more than the scheme, `www.` and a slash at the end."""
    return _plain(url) != _plain(other)


def _plain(url: str) -> str:
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}?{parts.query}"


def _shares_word(title: str, page_title: str) -> bool:
    """Whether two titles have a word in common that says something."""
    ours = set(fold_words(title)) - _SMALL
    theirs = set(fold_words(page_title)) - _SMALL
    if ours & theirs or not ours or not theirs:
        return True
    return fold_letters(title) in fold_letters(page_title)
