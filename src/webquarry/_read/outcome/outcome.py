"""Judge a page that was read: content, little of it, a part of it, or something in its place.

Walls, logins and pages that say that they do not exist are raised (`Challenge`, `LoginWall`,
`NotFound`), whatever the status code: they are never content. A page with hardly any text, or none
until its scripts run, is returned with that outcome and a note, or raised (`ThinPage`,
`ScriptPage`) if it has none. The visible text decides, and only short pages are examined: an
article about captchas is an article.

A page of any length may be a part: the beginning of a text for subscribers, a consent in front of
the page, some items of a list. It is returned with a note, or raised if there is only the gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from webquarry._read.format import ConvertedDocument
from webquarry._read.html.traits import Traits
from webquarry._read.markdown.words import Words
from webquarry._read.outcome.lists import find_more
from webquarry._read.outcome.shell import Need, has_empty_main, judge_shell
from webquarry._read.outcome.teaser import find_teaser
from webquarry._read.outcome.walls import (
    UNKNOWN_VENDOR,
    asks_for_consent,
    find_wall_in_headers,
    find_wall_in_page,
    is_missing,
    wants_login,
)
from webquarry._search.addresses import join_url
from webquarry.errors import Challenge, LoginWall, NotFound, ScriptPage, ThinPage
from webquarry.secret import redact

_LONGEST = 100_000  # characters of Markdown; a longer page is content
_BEGINNING = 8_000  # characters that show whether a page has much prose
_MOST_PROSE = 250  # words; a page with more is content
_THIN_WORDS = 10
_LITTLE = 400  # bytes of a main part
_LITTLE_WORDS = 25
_LITTLE_SHARE = 0.1  # of the words of the whole page
_MUCH_AROUND = 100  # words of the whole page
_TITLE_WORDS = 5  # of a main part that is only a title
_MUCH_AROUND_TITLE = 50  # words of the whole page
_GATE_WORDS = 20  # of a page that has only a gate
_SENTENCE = re.compile(r"\w[\w'\u2019]*+(?:\W{1,3}+\w[\w'\u2019]*+){4,80}[.!?…]|\w{10,}+[。！？]")
# Most gates have one of these names; a long page whose main part is not known is only examined
# with one of them.
_GATE_NAMES = (b"isAccessibleForFree", b"paywall", b"Paywall")
STAYS_EMPTY_ADVICE = (
    "Choose another source, or look for a feed, an API or a printable version of this page."
)


class Outcome(NamedTuple):
    """Outcome of a read, with notes for the reader."""

    kind: str = "ok"  # ok, thin, js_shell, teaser, consent or cut_list
    notes: tuple[str, ...] = ()
    need: Need = ""  # of scripts


def raise_if_walled(url: str, headers: Mapping[str, str], page: ConvertedDocument | None) -> None:
    """Raise `Challenge` if a response of any status is a captcha or a bot wall.

    Without a page the headers decide.
    """
    vendor = find_wall_in_headers(headers)
    if vendor is None and page is not None and page.traits is not None:
        words = page.words.beginning(_LONGEST)
        if words.prose_count <= _MOST_PROSE:
            vendor = find_wall_in_page(page.title, words, page.traits())
    if vendor is not None:
        named = "" if vendor == UNKNOWN_VENDOR else f" ({vendor})"
        raise Challenge(
            f"{_host(url)} answered with a captcha or a bot wall{named} instead of the page."
        )


def raise_if_login(url: str, requested_url: str, page: ConvertedDocument) -> None:
    """Raise `LoginWall` if a page shows nothing but a form to log in."""
    if page.traits is None:
        return
    words = page.words.beginning(_LONGEST)
    if wants_login(url, requested_url, page.title, words, page.traits()):
        raise LoginWall(f"{_host(url)} wants a login before it shows {redact(requested_url)}.")


def judge(
    url: str, requested_url: str, headers: Mapping[str, str], page: ConvertedDocument
) -> Outcome:
    """Return the outcome of a page with a successful status.

    Raises the error for a wall, a login, a missing or an empty page.
    """
    if page.traits is None or page.reader:  # a document or a known article may be short
        if not page.text.data.strip():
            raise ThinPage(f"{redact(url)} is empty.")
        return Outcome()
    words = page.words
    has_prose = words.size > _LONGEST or (
        words.beginning(_BEGINNING).prose_count > 2 * _MOST_PROSE or words.prose_count > _MOST_PROSE
    )
    if has_prose:
        return _judge_completeness(url, page)

    raise_if_walled(url, headers, page)
    if is_missing(url, page.title, words):
        raise NotFound(f"{redact(url)} says that there is no such page.")
    raise_if_login(url, requested_url, page)
    traits = page.traits()
    if asks_for_consent(page.title, words, traits):
        note = f"{_host(url)} asks for a consent (cookies, privacy) in place of the page."
        is_scripted = traits.scripts > 0 and not page.is_rendered
        return Outcome("consent", (note,), "must" if is_scripted else "")
    outcome = _judge_substance(url, page, words, traits)
    if outcome.kind != "ok":
        return outcome
    completeness = _judge_completeness(url, page)
    return completeness._replace(need=completeness.need or outcome.need)


def _judge_substance(url: str, page: ConvertedDocument, words: Words, traits: Traits) -> Outcome:
    """Whether there is text, and if hardly any, whether scripts would add it."""
    shell = judge_shell(page, words, traits)
    if shell.need == "must":
        if page.is_rendered:
            raise ScriptPage(f"{redact(url)} {shell.reason}.", suggested_action=STAYS_EMPTY_ADVICE)
        if not shell.words:
            raise ScriptPage(f"{redact(url)} {shell.reason}, and they are not run here.")
        size = _describe_size(shell.words)
        note = f"The page {shell.reason}; before they have run, only {size} of text are in it."
        return Outcome("js_shell", (note,), "must")
    if words.count >= _THIN_WORDS:
        return Outcome(need=shell.need)
    if not words.count:
        raise ThinPage(f"{redact(url)} has no text{_describe_refresh(url, traits)}.")
    size = _describe_size(words.count)
    note = f"The page holds only {size} of text{_describe_refresh(url, traits)}."
    return Outcome("thin", (note,), shell.need)


def _judge_completeness(url: str, page: ConvertedDocument) -> Outcome:
    """Whether a page is complete. Raises `LoginWall` if it has only a gate."""
    if page.document is None or page.page_blocks is None or page.traits is None:
        return Outcome()
    is_long = not page.is_chosen and page.words.size > _BEGINNING
    if is_long and not any(name in page.document.data for name in _GATE_NAMES):
        return Outcome()
    blocks = page.page_blocks()
    teaser = find_teaser(page.document, blocks)
    if teaser is not None:
        if teaser.words < _GATE_WORDS:
            raise LoginWall(
                f"{_host(url)} shows {redact(url)} to its subscribers or members only: "
                f"{teaser.reason}."
            )
        size = _describe_size(teaser.words)
        note = f"Only the beginning of the page is shown, {size}: {teaser.reason}."
        return Outcome("teaser", (note,))
    more = find_more(url, page.document, blocks)
    if more is not None:
        return Outcome("cut_list", (f"There is more than is shown: the page {more}.",))
    return _judge_main_part(page, page.traits)


def _judge_main_part(page: ConvertedDocument, traits: Callable[[], Traits]) -> Outcome:
    """Whether hardly anything of a page was found to be its main part.

    A short notice is a page too, if it has a sentence, or if there is little around it.
    """
    if page.whole is None or len(page.text.data) > _LITTLE:
        return Outcome()
    part, whole = Words(page.blocks), page.words.beginning(_BEGINNING)
    is_title = part.count <= _TITLE_WORDS and bool(part.headings)
    much = _MUCH_AROUND_TITLE if is_title else _MUCH_AROUND
    is_little = part.count < max(_LITTLE_WORDS, _LITTLE_SHARE * whole.count)
    if not is_little or whole.count < much:
        return Outcome()
    if _SENTENCE.search(part.text) and not traits().empty_mount:
        return Outcome()
    size = _describe_size(part.count)
    is_filled = traits().scripts > 0 and not page.is_rendered
    if is_filled and (traits().empty_mount or has_empty_main(traits())):
        note = (
            f"The page is filled in by scripts; before they have run, only {size} of its main part "
            "are in it."
        )
        return Outcome("js_shell", (note,), "must")
    note = f"Only {size} were found to be the main part of the page; the rest is around them."
    return Outcome("thin", (note,), "may" if is_filled else "")


def _describe_refresh(url: str, traits: Traits) -> str:
    """Return a clause about where the page redirects the browser; empty if nowhere."""
    if not traits.refresh:
        return ""
    try:
        target = join_url(url, traits.refresh)
    except ValueError:  # not a URL
        target = traits.refresh
    return f" and sends the browser on to {redact(target[:500])}"


def _describe_size(word_count: int) -> str:
    return "1 word" if word_count == 1 else f"{word_count} words"


def _host(url: str) -> str:
    """Return the host of a URL, to name the site in a message."""
    return urlsplit(url).hostname or redact(url)
