"""A page that was read -> what became of it: text worth having, little of it, or a wall instead of
a page.

Walls, logins and pages that say they do not exist are raised (`Challenge`, `LoginWall`,
`NotFound`), whatever the status code said: they are never content. A page that is nearly empty, or
empty until its scripts run, is returned with that outcome and a note while it has any text, and
raised (`ThinPage`, `ScriptPage`) when it has none. What a person sees decides, and only short pages
are suspected: an article about captchas is an article.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from webquarry.errors import Challenge, LoginWall, NotFound, ScriptPage, ThinPage
from webquarry.read.format import ConvertedDocument
from webquarry.read.html.traits import Traits
from webquarry.read.text.words import Words, count_words
from webquarry.read.walls.login import wants_login
from webquarry.read.walls.soft_404 import is_soft_404
from webquarry.read.walls.wall_marks import UNSIGNED
from webquarry.read.walls.walls import wall_in_headers, wall_in_page
from webquarry.secret import redact

_LONGEST = 100_000  # characters of Markdown; whatever is longer is a page
_BEGINNING = 8_000  # characters; they are enough to know a page that says a lot
_MOST_PROSE = 250  # words; whatever says more is a page
_THIN_WORDS = 10
_SHELL_WORDS = 50  # around an element that scripts would fill
_NOTICE_WORDS = 15  # beside a request to turn scripts on
_NEEDS_SCRIPTS = re.compile(
    r"(?i)(?:enable|activate|turn on|allow|requires?|needs?|without|supports?)\s+(?:\w+\s+){0,3}java\s?script"
    r"|java\s?script\s+(?:\w+\s+){0,3}(?:disabled|enabled|required|needed|turned off|not available|unavailable|to run|in order)"
    r"|(?:activer?|activez|aktivieren|habilit[ae]r?|attiva(?:re)?|ativ[ae]|включите|włącz)\s+(?:\S+\s+){0,2}java\s?script"
    r"|java\s?script\s*(?:を有効|が無効|aktivieren|désactivé|deaktiviert|отключен)|启用\s*java\s?script"
)
_LOADING = re.compile(
    r"(?i)^\W*(?:loading|please wait|wird geladen|chargement|cargando|caricamento|carregando|загрузка|加载中|読み込み中)\b.{0,30}$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")


@dataclass(frozen=True)
class Outcome:
    """How a read ended, and what to tell the reader about it."""

    kind: str = "ok"  # ok, thin or js_shell
    notes: tuple[str, ...] = ()


def raise_if_walled(url: str, headers: Mapping[str, str], draft: ConvertedDocument | None) -> None:
    """Raise `Challenge` if an answer, of whatever status, is a captcha or a bot wall."""
    maker = wall_in_headers(headers)
    if maker is None and draft is not None and draft.traits is not None:
        words = Words(draft.markdown[:_LONGEST])
        maker = None
        if words.prose_count <= _MOST_PROSE:
            maker = wall_in_page(draft.title, words, draft.traits())
    if maker:
        signed = "" if maker == UNSIGNED else f" ({maker})"
        raise Challenge(
            f"{_host(url)} answered with a captcha or a bot wall{signed} instead of the page."
        )


def raise_if_login(url: str, requested_url: str, draft: ConvertedDocument) -> None:
    """Raise `LoginWall` if a page shows nothing but a door."""
    words = Words(draft.markdown[:_LONGEST])
    if draft.traits is not None and wants_login(
        url, requested_url, draft.title, words, draft.traits()
    ):
        raise LoginWall(f"{_host(url)} wants a login before it shows {redact(requested_url)}.")


def judge(
    url: str, requested_url: str, headers: Mapping[str, str], draft: ConvertedDocument
) -> Outcome:
    """The outcome of a page that was answered with success."""
    if draft.traits is None:
        return _judge_length(url, draft)
    if (
        len(draft.markdown) > _LONGEST
        or Words(draft.markdown[:_BEGINNING]).prose_count > 2 * _MOST_PROSE
    ):
        return Outcome()
    words = Words(draft.markdown)
    if words.prose_count > _MOST_PROSE:
        return Outcome()
    raise_if_walled(url, headers, draft)
    if is_soft_404(url, draft.title, words):
        raise NotFound(f"{redact(url)} says that there is no such page.")
    raise_if_login(url, requested_url, draft)
    return _judge_substance(url, draft, words, draft.traits())


def _judge_length(url: str, draft: ConvertedDocument) -> Outcome:
    """Plain documents are as short as they like, but not empty."""
    if not draft.markdown.strip():
        raise ThinPage(f"{redact(url)} is empty.")
    return Outcome()


def _judge_substance(url: str, draft: ConvertedDocument, words: Words, traits: Traits) -> Outcome:
    """Whether there is text, and if hardly any, whether scripts would have brought it."""
    pieces = [piece for piece in _SENTENCE_END.split(words.text) if piece.strip()]
    written = [
        piece for piece in pieces if not (_NEEDS_SCRIPTS.search(piece) or _LOADING.search(piece))
    ]
    rest = count_words("\n".join(written))
    asked = len(written) < len(pieces) or _NEEDS_SCRIPTS.search(traits.fallback)
    pictured = "![" in draft.markdown
    if traits.empty_mount:
        most = _SHELL_WORDS
    elif asked:
        most = _NOTICE_WORDS
    else:
        most = 1
        if pictured:
            most = 0
    if traits.scripts and rest < most:
        if not rest:
            raise ScriptPage(
                f"{redact(url)} shows nothing until its scripts have run, and they are not run "
                "here."
            )
        return Outcome(
            "js_shell",
            (
                f"The page is filled in by scripts, which are not run: only {_words(rest)} of "
                "text are in it.",
            ),
        )
    if rest >= _THIN_WORDS:
        return Outcome()
    if not rest and not pictured:
        raise ThinPage(f"{redact(url)} has no text{_sent_on(url, traits)}.")
    return Outcome("thin", (f"The page holds only {_words(rest)} of text{_sent_on(url, traits)}.",))


def _sent_on(url: str, traits: Traits) -> str:
    if not traits.refresh:
        return ""
    try:
        target = urljoin(url, traits.refresh)
    except ValueError:  # the page's own words, which need not be a URL
        target = traits.refresh
    return f" and sends the browser on to {redact(target[:500])}"


def _words(count: int) -> str:
    if count == 1:
        return "1 word"
    return f"{count} words"


def _host(url: str) -> str:
    return urlsplit(url).hostname or redact(url)
