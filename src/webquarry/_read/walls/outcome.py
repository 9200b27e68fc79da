"""A page that was read -> what became of it: text worth having, little of it, or a wall instead of
a page.

Walls, logins and pages that say they do not exist are raised (`Challenge`, `LoginWall`,
`NotFound`), whatever the status code said: they are never content. A page that is nearly empty, or
empty until its scripts run, is returned with that outcome and a note while it has any text, and
raised (`ThinPage`, `ScriptPage`) when it has none. What a person sees decides, and only short pages
are suspected: an article about captchas is an article.

A page of any length may be a part of something: the beginning of a text that is for subscribers, a
page that asks for a consent first, some items of a longer list. It is returned with a note that
says so, and raised where nothing is there but the gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from webquarry._read.format import ConvertedDocument
from webquarry._read.html.traits import Traits
from webquarry._read.text.words import Words, count_words
from webquarry._read.walls.consent import asks_for_consent
from webquarry._read.walls.cut_list import find_more
from webquarry._read.walls.login import wants_login
from webquarry._read.walls.shell import Need, has_empty_main, is_template, judge_shell
from webquarry._read.walls.soft_404 import is_soft_404
from webquarry._read.walls.teaser import find_teaser
from webquarry._read.walls.wall_marks import UNSIGNED
from webquarry._read.walls.walls import find_wall_in_headers, find_wall_in_page
from webquarry._search.replies.addresses import join_url
from webquarry.errors import Challenge, LoginWall, NotFound, ScriptPage, ThinPage
from webquarry.secret import redact

_LONGEST = 100_000  # characters of Markdown; whatever is longer is a page
_BEGINNING = 8_000  # characters; they are enough to know a page that says a lot
_MOST_PROSE = 250  # words; whatever says more is a page
_THIN_WORDS = 10
_LITTLE = 400  # characters of a main part
_LITTLE_WORDS = 25
_LITTLE_SHARE = 0.1  # of the words of the whole page
_MUCH_AROUND = 100  # words of the whole page
_BARE_TITLE_WORDS = 5  # a main part that says no more is a title
_MUCH_AROUND_TITLE = 50  # words of the whole page
_SENTENCE = re.compile(r"\w[\w'\u2019]*+(?:\W{1,3}+\w[\w'\u2019]*+){4,80}[.!?…]|\w{10,}+[。！？]")
_TEMPLATE_NOTE = "The page is a template that its scripts would fill in, and they are not run here."
STAYS_EMPTY_ADVICE = (
    "Choose another source, or look for a feed, an API or a printable version of this page."
)
_BARE_WORDS = 20  # beside a gate; so few of them are no text
# Names that most gates have; without them the main part of a long page, where it is not known yet,
# is not looked for.
_GATE_NAMES = (b"isAccessibleForFree", b"paywall", b"Paywall")


class Outcome(NamedTuple):
    """How a read ended, and what to tell the reader about it."""

    kind: str = "ok"  # ok, thin, js_shell, teaser, consent or cut_list
    notes: tuple[str, ...] = ()
    need: Need = ""  # of its scripts


def raise_if_walled(url: str, headers: Mapping[str, str], page: ConvertedDocument | None) -> None:
    """Raise `Challenge` if an answer, of whatever status, is a captcha or a bot wall.

    `page` is what was read, where there was anything; without it the headers alone decide.
    """
    maker = find_wall_in_headers(headers)
    if maker is None and page is not None and page.traits is not None:
        words = Words(page.markdown[:_LONGEST])
        if words.prose_count <= _MOST_PROSE:
            maker = find_wall_in_page(page.title, words, page.traits())
    if not maker:
        return
    signature = ""
    if maker != UNSIGNED:
        signature = f" ({maker})"
    raise Challenge(
        f"{_host(url)} answered with a captcha or a bot wall{signature} instead of the page."
    )


def raise_if_login(url: str, requested_url: str, page: ConvertedDocument) -> None:
    """Raise `LoginWall` if a page shows nothing but a form to log in."""
    if page.traits is None:
        return
    words = Words(page.markdown[:_LONGEST])
    if wants_login(url, requested_url, page.title, words, page.traits()):
        raise LoginWall(f"{_host(url)} wants a login before it shows {redact(requested_url)}.")


def judge(
    url: str, requested_url: str, headers: Mapping[str, str], page: ConvertedDocument
) -> Outcome:
    """The outcome of a page that was answered with success.

    Walls, logins and pages that say they do not exist are raised. Only short pages are suspected,
    and how long one is is found out as cheaply as possible.
    """
    if page.traits is None or page.reader:
        # Plain documents, and articles that are known for it, are as short as they like, but not
        # empty.
        if not page.markdown.strip():
            raise ThinPage(f"{redact(url)} is empty.")
        return Outcome()
    words = _read_if_short(page.markdown)
    if words is None:
        if _is_long_template(page):
            return _build_shell_outcome(_TEMPLATE_NOTE)
        return _judge_completeness(url, page)

    raise_if_walled(url, headers, page)
    if is_soft_404(url, page.title, words):
        raise NotFound(f"{redact(url)} says that there is no such page.")
    raise_if_login(url, requested_url, page)
    traits = page.traits()
    if asks_for_consent(page.title, words, traits):
        note = f"{_host(url)} asks for a consent (cookies, privacy) in place of the page."
        behind_scripts = traits.scripts > 0 and not page.is_rendered
        return Outcome("consent", (note,), "must" if behind_scripts else "")
    outcome = _judge_substance(url, page, words, traits)
    if outcome.kind != "ok":
        return outcome
    completeness = _judge_completeness(url, page)
    if outcome.need and not completeness.need:
        return completeness._replace(need=outcome.need)
    return completeness


def _read_if_short(markdown: str) -> Words | None:
    """The words of a page, or None if it says so much that it is no wall, which is found out as
    cheaply as possible.
    """
    if len(markdown) > _LONGEST:
        return None
    words = Words(markdown[:_BEGINNING])
    if words.prose_count > 2 * _MOST_PROSE:
        return None
    if len(markdown) > _BEGINNING:
        words = Words(markdown)
    if words.prose_count > _MOST_PROSE:
        return None
    return words


def _judge_completeness(url: str, page: ConvertedDocument) -> Outcome:
    """Whether a page shows all of what it is about. Raises `LoginWall` if it shows a gate alone."""
    if page.document is None or page.blocks is None or page.traits is None:
        return Outcome()
    is_long = not page.is_chosen and len(page.markdown) > _BEGINNING
    if is_long and not any(name in page.document.data for name in _GATE_NAMES):
        return Outcome()
    blocks = page.blocks()
    teaser = find_teaser(page.document, blocks)
    if teaser is not None:
        if teaser.words < _BARE_WORDS:
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


def _judge_substance(url: str, page: ConvertedDocument, words: Words, traits: Traits) -> Outcome:
    """Whether there is text, and if hardly any, whether scripts would have brought it."""
    verdict = judge_shell(page, words, traits)
    if verdict.need == "must":
        is_empty = not verdict.words
        if page.is_rendered:
            raise ScriptPage(
                f"{redact(url)} {verdict.reason}.", suggested_action=STAYS_EMPTY_ADVICE
            )
        if is_empty:
            raise ScriptPage(f"{redact(url)} {verdict.reason}, and they are not run here.")
        size = _describe_size(verdict.words)
        return _build_shell_outcome(
            f"The page {verdict.reason}; before they have run, only {size} of text are in it."
        )
    word_count = words.count
    if word_count >= _THIN_WORDS:
        return Outcome(need=verdict.need)
    has_images = "![" in page.markdown
    if not word_count and not has_images:
        raise ThinPage(f"{redact(url)} has no text{_describe_refresh(url, traits)}.")
    size = _describe_size(word_count)
    note = f"The page holds only {size} of text{_describe_refresh(url, traits)}."
    return Outcome("thin", (note,), verdict.need)


def _build_shell_outcome(note: str) -> Outcome:
    return Outcome("js_shell", (note,), "must")


def _is_long_template(page: ConvertedDocument) -> bool:
    """Whether a page with much text is a template that scripts would fill in."""
    if "{" not in page.markdown:
        return False  # as nearly all, and one sign is found many times as fast as two
    if "{{" not in page.markdown or page.is_rendered or page.traits is None:
        return False
    text = page.markdown[:_LONGEST]
    return is_template(page, text, count_words(text)) and page.traits().scripts > 0


def _judge_main_part(page: ConvertedDocument, traits: Callable[[], Traits]) -> Outcome:
    """Whether next to nothing of a page was found to be its main part.

    A short notice is a page as well, if it has a sentence, or little stands around it.
    """
    if not page.part or len(page.part) > _LITTLE:
        return Outcome()
    part, whole = Words(page.part), Words(page.markdown[:_BEGINNING])
    much = _MUCH_AROUND
    if part.count <= _BARE_TITLE_WORDS and page.part.startswith("#"):
        much = _MUCH_AROUND_TITLE
    is_little = part.count < max(_LITTLE_WORDS, _LITTLE_SHARE * whole.count)
    if not is_little or whole.count < much:
        return Outcome()
    if _SENTENCE.search(part.text) and not traits().empty_mount:
        return Outcome()
    size = _describe_size(part.count)
    note = f"Only {size} were found to be the main part of the page; the rest is around them."
    is_filled = traits().scripts > 0 and not page.is_rendered
    if is_filled and (traits().empty_mount or has_empty_main(traits())):
        return _build_shell_outcome(
            f"The page is filled in by scripts; before they have run, only {size} of its main part "
            "are in it."
        )
    return Outcome("thin", (note,), "may" if is_filled else "")


def _describe_refresh(url: str, traits: Traits) -> str:
    """Where the page sends the browser, in words that follow "has no text"; empty if nowhere."""
    if not traits.refresh:
        return ""
    try:
        target = join_url(url, traits.refresh)
    except ValueError:  # the page's own words, which need not be a URL
        target = traits.refresh
    return f" and sends the browser on to {redact(target[:500])}"


def _describe_size(word_count: int) -> str:
    if word_count == 1:
        return "1 word"
    return f"{word_count} words"


def _host(url: str) -> str:
    """The host of a URL, to name the site in a message."""
    host = urlsplit(url).hostname
    return host or redact(url)
