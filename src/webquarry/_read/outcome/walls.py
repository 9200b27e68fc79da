"""Pages in place of a page: captchas and bot walls, logins, consents, pages that do not exist.

Each of them is short. Captchas, login boxes, cookie banners and error numbers also occur on
ordinary pages, and articles are written about them, so that one sign never suffices. The phrases
are in `phrases.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from webquarry._read.html.traits import Traits, leads_to_login
from webquarry._read.markdown.words import Words
from webquarry._read.outcome.phrases import Phrases, load, phrases, tokenize, tokenize_page
from webquarry._read.text.words import count_words

UNKNOWN_VENDOR = "a captcha"
SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_LONGEST_HEADLINE = 200  # characters
_WALL_WORDS = 250
_WALL_PROSE = 120  # words of prose, where only phrases indicate a wall
_MISSING_PROSE = 120
_MISSING_BARE_PROSE = 50
_MISSING_SEGMENTS = frozenset({"404", "error404", "notfound", "pagenotfound"})
_LOGIN_PROSE = 80
_LOGIN_PROSE_REDIRECTED = 150
_LOGIN_WORDS = 150  # links included: the front page of a forum has a login box and many links
_LOGIN_FIELDS = 5  # of all forms
_ORDER_PROSE = 40  # where a sentence replaces the form
_OWN_PROSE = 10  # a page with as much prose has content of its own
_CONSENT_PROSE = 450
_CONSENT_FEWEST = 10  # words about consent
_CONSENT_OTHER = 25  # words of sentences about something else
_CONSENT_OTHER_WITH_HEADLINE = 60
_LONGEST_SENTENCE = 2_000  # that continues in a list
_CHOICE_WORDS = 6  # of a button or link next to the text


def wall_headers() -> Sequence[Sequence[str]]:
    """Return name, value and vendor of each response header that announces a wall."""
    found: Sequence[Sequence[str]] = load()["walls"]["headers"]
    return found


def find_wall_in_headers(headers: Mapping[str, str]) -> str | None:
    """Return the vendor of the wall that response headers announce."""
    for name, value, vendor in wall_headers():
        if headers.get(name, "").strip().lower() == value:
            return vendor
    return None


def find_wall_in_page(title: str, words: Words, traits: Traits) -> str | None:
    """Return the vendor of the wall that a page is (`UNKNOWN_VENDOR` if unknown), or None."""
    if words.count > _WALL_WORDS:
        return None
    walls = load()["walls"]
    elements = f";{traits.marks.lower()};".replace("\n", ";")
    code = "".join(traits.code.lower().split())
    vendor = _find_vendor(elements, walls["elements"]) or _find_vendor(code, walls["code"])
    if not vendor and not words.count:
        vendor = _find_vendor(f"{elements}\n{code}", walls["empty"])
    if vendor or words.prose_count > _WALL_PROSE:
        return vendor
    return _find_wall_in_phrases(title.strip(), words, traits, elements)


def _find_vendor(text: str, vendors: Mapping[str, Sequence[str | Sequence[str]]]) -> str | None:
    """Return the first vendor of which one of the texts, or all texts of a list, occur."""
    for vendor, choices in vendors.items():
        for choice in choices:
            needed = (choice,) if isinstance(choice, str) else choice
            if all(piece in text for piece in needed):
                return vendor
    return None


@cache
def _printed() -> Mapping[str, Sequence[Phrases]]:
    """Return the phrases that vendors print, all of which must occur."""
    printed: dict[str, Any] = load()["walls"]["printed"]
    return {vendor: [Phrases([one]) for one in needed] for vendor, needed in printed.items()}


def _find_wall_in_phrases(title: str, words: Words, traits: Traits, elements: str) -> str | None:
    text = f"{title}\n{words.text}\n{traits.fallback}"
    tokens = tokenize(text)
    for vendor, needed in _printed().items():
        if all(one.match_tokens(tokens) for one in needed):
            return vendor
    has_other_fields = traits.fields > 1 or traits.passwords > 0
    if has_other_fields or not phrases("walls.demand").match_tokens(tokens):
        return None
    if any(name in elements for name in load()["walls"]["captcha"]["all"]):
        return UNKNOWN_VENDOR
    is_suspicious = phrases("walls.suspicion").match_tokens(tokens)
    if not is_suspicious or not phrases("walls.title").match(title):
        return None
    gives_order = phrases("walls.order").match(f"{words.text}\n{traits.fallback}")
    return UNKNOWN_VENDOR if gives_order else None


def _cut_headlines(*lines: str) -> list[str]:
    return [line[:_LONGEST_HEADLINE] for line in lines]


def is_missing(url: str, title: str, words: Words) -> bool:
    """Whether a page says that it does not exist, in its headline and in a sentence."""
    if words.prose_count > _MISSING_PROSE:
        return False
    headlines = _cut_headlines(title, *words.headings[:2])
    in_headline = any(map(phrases("missing.headline").match, headlines))
    if in_headline and words.prose_count < _MISSING_BARE_PROSE:
        return True
    segment = urlsplit(url).path.rstrip("/").rpartition("/")[2].partition(".")[0]
    if (
        in_headline
        or segment.replace("-", "").lower() in _MISSING_SEGMENTS
        or any(map(phrases("missing.number").match, headlines))
    ):
        return phrases("missing.notice").match_tokens(tokenize_page(words.text))
    return False


def wants_login(url: str, requested_url: str, title: str, words: Words, traits: Traits) -> bool:
    """Whether a page has only a form to log in, or the request to do so."""
    is_redirected = _is_login_address(url) and not _is_login_address(requested_url)
    if words.prose_count > (_LOGIN_PROSE_REDIRECTED if is_redirected else _LOGIN_PROSE):
        return False
    in_title, *in_headings = map(
        phrases("login.headline").match, _cut_headlines(title, *words.headings[:2])
    )
    in_headline = in_title or any(in_headings)
    has_form = traits.passwords > 0 or (traits.identity_field and in_headline)
    if is_redirected:
        return in_headline or has_form or _requests_login(title, words)
    is_short = words.count < _LOGIN_WORDS
    if has_form and _has_only_login(traits):
        return in_title or (is_short and (in_headline or _requests_login(title, words)))
    has_nothing_else = is_short and words.prose_count < _ORDER_PROSE and traits.fields <= 1
    return has_nothing_else and traits.login_link and _orders_login(title, words, traits)


def _requests_login(title: str, words: Words) -> bool:
    request = phrases("login.request")
    return request.match(title) or request.match_tokens(tokenize_page(words.text))


def _orders_login(title: str, words: Words, traits: Traits) -> bool:
    """Whether a page tells the visitor to log in, except in a link that greets the visitor."""
    text = words.text
    if words.prose_count >= _OWN_PROSE:
        for label in filter(phrases("login.greeting").match, traits.login_labels):
            text = text.replace(label, "")
    return phrases("login.order").match(f"{title}\n{text}")


def _has_only_login(traits: Traits) -> bool:
    """Whether the forms have no more fields than a login, a search and a newsletter."""
    has_login_form = traits.passwords > 0 and traits.login_fields <= 2
    return traits.fields <= (_LOGIN_FIELDS if has_login_form else 2)


def _is_login_address(url: str) -> bool:
    parts = urlsplit(url)
    return leads_to_login((parts.hostname or "") + parts.path)


def asks_for_consent(title: str, words: Words, traits: Traits) -> bool:
    """Whether a page only asks for consent: a headline or most sentences are about it, and a
    button or link agrees.
    """
    if words.prose_count > _CONSENT_PROSE or traits.passwords:
        return False
    lines = _read_lines(words.text)
    headlines = _cut_headlines(title, *(words.headings[:2] or lines[:1]))
    in_headline = any(map(phrases("consent.headline").match, headlines))
    agree, tokens = phrases("consent.agree"), tokenize_page(words.text)
    can_agree = agree.match_tokens(tokens) or agree.match("\n".join(traits.buttons))
    if in_headline:
        is_asked = can_agree or has_element(traits, "consent.elements")
        return is_asked and _is_about_consent(lines, _CONSENT_OTHER_WITH_HEADLINE)
    # a heading about something else indicates a page with content
    is_asked = can_agree and (
        not words.headings
        or has_element(traits, "consent.page_elements")
        or phrases("consent.pay").match_tokens(tokens)
    )
    return is_asked and _is_about_consent(lines, _CONSENT_OTHER)


def has_element(traits: Traits, topic: str) -> bool:
    """Whether a name or an address in the page contains one of the texts for its kind."""
    package, _, name = topic.partition(".")
    texts: Mapping[str, Sequence[str]] = load()[package][name]
    marks: dict[str, list[str]] = {kind: [] for kind in texts}
    for mark in traits.marks.lower().split("\n"):
        kind = mark.partition("=")[0]
        if kind in marks:
            marks[kind].append(mark)
    joined = {kind: "\n".join(lines) for kind, lines in marks.items()}
    return any(text in joined[kind] for kind, names in texts.items() for text in names)


def _read_lines(text: str) -> list[str]:
    """Return the lines without Markdown; items of a list belong to the sentence before it."""
    lines: list[str] = []
    is_open = False  # the last line continues in a list
    for written in text.splitlines():
        line = written.strip(" #*-|\t")
        if not line:
            continue
        is_item = written.lstrip().startswith(("- ", "* "))
        if is_open and is_item and len(lines[-1]) < _LONGEST_SENTENCE:
            lines[-1] += f" {line}"
            continue
        lines.append(line)
        is_open = line.endswith(":")
    return lines


def _is_about_consent(lines: Sequence[str], most_other: int) -> bool:
    """Whether the sentences are about consent, except for fewer than `most_other` words."""
    about = other = 0
    for line in lines:
        for sentence in SENTENCE_END.split(line):
            count = count_words(sentence)
            if phrases("consent.about").match(sentence):
                about += count
            elif count > _CHOICE_WORDS:
                other += count
    return about >= _CONSENT_FEWEST and other < min(about, most_other)
