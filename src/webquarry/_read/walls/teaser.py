"""A page -> whether it is only the beginning of a text, the rest of which wants a subscription or
a login.

Most pages of a newspaper ask for a subscription somewhere, and many say of a text that is there
whole that it is not free. So one sign is never enough for a text of some length:

- A gate is a short text of its own at the end of the main part, with no more text behind it, that
  tells the visitor what to do to read on. An article about paywalls has paragraphs.
- Structured data that calls the text not free counts where the part that is meant is missing, or
  where the text is short or breaks off.
- A text that is faded out, or ends with three dots, counts with an offer behind it.

Only the texts around the end are looked at, and on short pages all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webquarry._read.html.page_blocks import PageBlocks
from webquarry._read.html.parse import Document
from webquarry._read.text.words import Words, count_words
from webquarry._read.walls.gate_phrases import (
    FADED,
    FADED_STEMS,
    GATES,
    MAYBE_FADED,
    OFFER,
    QUOTES,
    WALLED,
    GateLanguage,
    may_hold_gate,
)
from webquarry._read.walls.paid_access import PaidAccess, find_paid_access, holds_paid_part

_SHORT_PAGE = 1_800  # characters of the main part, below which all texts are looked at
_MOST_BLOCKS = 300  # that are looked at on a short page
_BEFORE_END, _BEHIND_END = 6, 15  # blocks around the end of the main part
_LONGEST_GATE = 300  # characters
_SHORT_TEXT = 200  # words, where a gate is enough by itself
_MOST_WORDS = 400  # of a text that is faded out
_MOST_OF_PAID = 300  # where the part that is not free is not on the page
_MOST_WITHOUT_PART = 120  # where nobody says which part is not free
_ENOUGH_OF_PAID = 0.6  # of the words that the text has, as the page says
_PROSE = 25  # words of a paragraph
_PROSE_BEHIND = 40  # words; as many behind a gate, and it does not end the text
_BARE = 20  # words; a text of fewer says nothing
# A gate that stands in one of these is an example of one.
_QUOTING_TAGS = frozenset({"td", "th", "li", "dt", "dd", "pre", "code", "blockquote", "figcaption"})
_SENTENCE_END = re.compile(r"[.!?:。！？][\])\s»”\"']{0,4}$")
_ELLIPSIS = re.compile(r"(?:…|\.\.\.)[\])\s»”\"']{0,4}$")


@dataclass(frozen=True)
class Teaser:
    """What was found."""

    reason: str  # a clause of our own words: a note is no place for those of a page
    words: int  # of the text that is there


@dataclass(frozen=True)
class _Signs:
    """What was seen around the end of a text."""

    gates: list[int]
    offers: list[int]
    paid: PaidAccess | None
    has_break: bool  # the text ends with three dots
    words: int  # of the text that is there


def find_teaser(document: Document, blocks: PageBlocks) -> Teaser | None:
    """Whether a page stops before its end, and how that is known."""
    around = _blocks_around_end(blocks)
    gates = _find_gates(blocks, around)
    paid = find_paid_access(document.page_info.data)
    has_break = _breaks_off(blocks)
    is_faded = _looks_faded(blocks)
    if not gates and paid is None and not has_break and not is_faded:
        return None

    offers = [index for index in around if _is_offer(blocks.texts[index])]
    words = _count_kept_words(blocks, {*gates, *offers})
    signs = _Signs(_without_inner(blocks, gates), offers, paid, has_break, words)
    if _has_gate(blocks, signs):
        return Teaser("it asks for a subscription or a login to read on", words)
    if _lacks_paid_part(document, signs):
        return Teaser("it says of itself that it is not free to read", words)
    breaks_off = is_faded or (has_break and _looks_walled(blocks, signs))
    if offers and breaks_off and words < _MOST_WORDS and _is_seen(blocks, offers[0]):
        return Teaser("its text breaks off before an offer to subscribe", words)
    return None


def _has_gate(blocks: PageBlocks, signs: _Signs) -> bool:
    """Whether a gate that a person sees ends the text; a long text needs more signs than one."""
    if not signs.gates:
        return False
    has_companion = (
        len({*signs.gates, *signs.offers}) > 1
        or signs.paid is not None
        or signs.has_break
        or _looks_walled(blocks, signs)
    )
    is_enough = signs.words < _SHORT_TEXT or has_companion
    return is_enough and _is_seen(blocks, signs.gates[0])


def _find_gates(blocks: PageBlocks, around: Iterable[int]) -> list[int]:
    """The texts that tell the visitor what to do to read on, each standing by itself."""
    written = blocks.texts
    short = [index for index in around if len(written[index]) <= _LONGEST_GATE]
    short = [index for index in short if blocks.tag_around(index) not in _QUOTING_TAGS]
    texts = [_to_plain(written[index]) for index in short]
    together = "\n".join(texts)
    if not may_hold_gate(together):
        return []
    gates: list[int] = []
    for language in GATES:
        stems = [stem for stem in language.stems if stem in together]
        for index, text in zip(short, texts, strict=True):
            if any(stem in text for stem in stems) and _is_gate(text, language):
                gates.append(index)
    return sorted(set(gates))


def _is_gate(text: str, language: GateLanguage) -> bool:
    """Whether a short text is a gate, and does not quote one."""
    found = language.pattern.search(text)
    if found is None:
        return False
    before = text[: found.start()].rstrip()
    return not before or before[-1] not in QUOTES


def _is_offer(text: str) -> bool:
    """Whether a text may stand beside a gate."""
    return len(text) <= _LONGEST_GATE and OFFER.search(_to_plain(text)) is not None


def _to_plain(text: str) -> str:
    """Lower case, with one kind of apostrophe and blank."""
    return " ".join(text.replace("\u2019", "'").lower().split())


def _blocks_around_end(blocks: PageBlocks) -> Iterable[int]:
    """The numbers of the blocks in which a gate may be found."""
    if blocks.size < _SHORT_PAGE or not blocks.kept:
        return range(min(len(blocks.texts), _MOST_BLOCKS))
    end = blocks.kept[-1]
    first = max(0, end - _BEFORE_END)
    return range(first, min(len(blocks.texts), end + _BEHIND_END))


def _without_inner(blocks: PageBlocks, gates: list[int]) -> list[int]:
    """The gates that have no more of the text behind them."""
    if not gates:
        return gates
    behind = 0
    last = -1
    for index in reversed(blocks.kept):
        if index in gates:
            continue
        count = count_words(blocks.texts[index][:2_000])
        if count >= _PROSE:
            behind += count
        if behind >= _PROSE_BEHIND:
            last = index
            break
    return [index for index in gates if index > last]


def _count_kept_words(blocks: PageBlocks, left_out: set[int]) -> int:
    """The words of the main part, without its headings and what belongs to a gate."""
    kept = (index for index in blocks.kept if index not in left_out)
    texts = [blocks.texts[index] for index in kept if not blocks.is_heading(index)]
    return count_words("\n".join(texts))


def _breaks_off(blocks: PageBlocks) -> bool:
    """Whether the last paragraph of the main part ends with three dots."""
    for index in reversed(blocks.kept[-4:]):
        text = blocks.texts[index]
        if len(text) >= 60:
            end = text[-20:]
            has_dots = "..." in end or "\u2026" in end
            return has_dots and _ELLIPSIS.search(end) is not None
    return False


def _looks_walled(blocks: PageBlocks, signs: _Signs) -> bool:
    """Whether the names of elements around the end say that it is behind a wall."""
    indexes = [*signs.gates, *signs.offers, *blocks.kept[-2:]]
    return any(WALLED.search(blocks.names_around(index)) for index in indexes)


def _looks_faded(blocks: PageBlocks) -> bool:
    """Whether the names of elements around the last texts say that they fade out."""
    for index in blocks.kept[-2:]:
        names = blocks.names_around(index)
        if not FADED_STEMS.count_in_lower(names, len(names)):
            continue
        if FADED.search(names):
            return True
        is_broken = _SENTENCE_END.search(blocks.texts[index][-10:]) is None
        if is_broken and MAYBE_FADED.search(names):
            return True
    return False


def _lacks_paid_part(document: Document, signs: _Signs) -> bool:
    """Whether the part of a page that is not free is missing."""
    paid, words = signs.paid, signs.words
    if paid is None:
        return False
    if paid.word_count:
        return words < _ENOUGH_OF_PAID * paid.word_count
    has_part = holds_paid_part(document.roots, paid)
    if has_part:
        return False
    if has_part is None:
        return words < _MOST_WITHOUT_PART or (signs.has_break and words < _MOST_OF_PAID)
    return words < _MOST_OF_PAID


def _is_seen(blocks: PageBlocks, index: int) -> bool:
    """Whether a person sees a text: many pages hold a gate for later, hidden."""
    wanted = " ".join(re.findall(r"\w+", blocks.texts[index])[:12])
    words = re.findall(r"\w+", Words(blocks.read_whole()).text)
    return wanted in " ".join(words)
