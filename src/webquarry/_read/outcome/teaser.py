"""Pages that are the beginning of a text whose rest needs a subscription or a login.

Most newspapers offer a subscription on every page, and many declare a complete text as not free.
So that one sign does not suffice for a text of some length:

- A gate is a short text at the end of the main content that says what to do to read on.
- Structured data (`isAccessibleForFree` of schema.org) counts if the text is short, or ends with an
  ellipsis.
- A text that is faded out, or ends with an ellipsis, counts if an offer follows.

Only the blocks around the end are examined, and on short pages all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from webquarry._read.html.parse import Document
from webquarry._read.markdown.words import PageBlocks, Words
from webquarry._read.outcome.phrases import load, phrases, tokenize
from webquarry._read.text.words import count_words

_SHORT_PAGE = 1_800  # characters of the main content, below which all blocks are examined
_MOST_BLOCKS = 300  # of a short page
_BEFORE_END, _AFTER_END = 6, 15  # blocks around the end of the main content
_LONGEST_GATE = 300  # characters
_SHORT_TEXT = 200  # words, where a gate suffices
_FADED_WORDS = 400  # at most, of a text that is faded out
_PAID_WORDS = 120  # at most, of a page whose text is not free
_CUT_PAID_WORDS = 300  # the same, if it ends with an ellipsis
_PAID_SHARE = 0.6  # of the number of words that the page declares
_PROSE = 25  # words of a paragraph
_PROSE_AFTER = 40  # words of paragraphs, after which a gate does not end the text
# A gate in one of these elements is an example of one.
_QUOTING_TAGS = frozenset({"td", "th", "li", "dt", "dd", "pre", "code", "blockquote", "figcaption"})
_CLOSING = "])»”\"' \n\t\u00a0"
_SENTENCE_ENDS = (".", "!", "?", ":", "。", "！", "？")
_ELLIPSES = ("…", "...")
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab\u300c][^"\u201c\u201d\u00bb\u300d]*+["\u201c\u201d\u00bb\u300d]'
)
_WORD = re.compile(r"\w+")

_ACCESS = "isAccessibleForFree"
_LONGEST_DATA = 500_000  # characters of one script
_MOST_NODES = 5_000
# Types of texts: a museum may not be free either.
_READABLE = ("Article", "Posting", "Report", "WebPage", "CreativeWork", "Review", "Blog", "Chapter")


@dataclass(frozen=True)
class Teaser:
    """A text that stops before its end."""

    reason: str  # a clause of our own: notes do not quote the page
    words: int  # of the text on the page


def find_teaser(document: Document, blocks: PageBlocks) -> Teaser | None:
    """Whether the text of a page stops before its end."""
    gates, offers = _find_gates_and_offers(blocks)
    paid_words = find_paid_access(document.page_info.data)
    has_ellipsis = _ends_with_ellipsis(blocks)
    is_faded = _is_faded(blocks)
    if not gates and paid_words is None and not has_ellipsis and not is_faded:
        return None
    words = _count_words(blocks, {*gates, *offers})
    gates = _without_inner(blocks, gates)
    is_walled = _is_walled(blocks, [*gates, *offers, *blocks.kept[-2:]])
    is_short = words < _SHORT_TEXT
    has_sign = (
        is_short
        or len({*gates, *offers}) > 1
        or paid_words is not None
        or has_ellipsis
        or is_walled
    )
    if gates and has_sign and _is_visible(blocks, gates[0]):
        return Teaser("it asks for a subscription or a login to read on", words)
    if paid_words is not None and _is_cut(words, paid_words, has_ellipsis):
        return Teaser("it says of itself that it is not free to read", words)
    stops = is_faded or (has_ellipsis and is_walled)
    if offers and stops and words < _FADED_WORDS and _is_visible(blocks, offers[0]):
        return Teaser("its text breaks off before an offer to subscribe", words)
    return None


def _is_cut(words: int, paid_words: int, has_ellipsis: bool) -> bool:
    """Whether a text that is not free is shorter than the page declares, or short."""
    if paid_words:
        return words < _PAID_SHARE * paid_words
    return words < (_CUT_PAID_WORDS if has_ellipsis else _PAID_WORDS)


def _find_gates_and_offers(blocks: PageBlocks) -> tuple[list[int], list[int]]:
    """Return the short blocks that say what to do to read on, and those that offer something."""
    around = range(min(len(blocks.texts), _MOST_BLOCKS))
    if blocks.size >= _SHORT_PAGE and blocks.kept:
        end = blocks.kept[-1]
        around = range(max(0, end - _BEFORE_END), min(len(blocks.texts), end + _AFTER_END))
    is_gate, is_offer = phrases("teaser.gate").match_tokens, phrases("teaser.offer").match_tokens
    gates: list[int] = []
    offers: list[int] = []
    for index in around:
        if len(blocks.texts[index]) <= _LONGEST_GATE:
            tokens = tokenize(_QUOTED.sub(" ", " ".join(blocks.texts[index].split())))
            if is_gate(tokens) and blocks.tag_around(index) not in _QUOTING_TAGS:
                gates.append(index)
            if is_offer(tokens):
                offers.append(index)
    return gates, offers


def _without_inner(blocks: PageBlocks, gates: list[int]) -> list[int]:
    """Return the gates that no more paragraphs of the text follow."""
    prose = 0
    for index in reversed(blocks.kept) if gates else ():
        if index in gates:
            continue
        count = count_words(blocks.texts[index][:2_000])
        if count >= _PROSE:
            prose += count
        if prose >= _PROSE_AFTER:
            return [gate for gate in gates if gate > index]
    return gates


def _count_words(blocks: PageBlocks, excluded: set[int]) -> int:
    """Count the words of the main content without headings, gates and offers."""
    text = (
        blocks.texts[index]
        for index in blocks.kept
        if index not in excluded and not blocks.is_heading(index)
    )
    return count_words("\n".join(text))


def _is_walled(blocks: PageBlocks, indexes: list[int]) -> bool:
    """Whether names of elements around blocks indicate a paywall."""
    names = [_names_around(blocks, index) for index in indexes]
    return any(wall in name for name in names for wall in load()["teaser"]["elements"]["walled"])


def _ends_with_ellipsis(blocks: PageBlocks) -> bool:
    """Whether the last paragraph of the main content ends with an ellipsis."""
    for index in reversed(blocks.kept[-4:]):
        if len(blocks.texts[index]) >= 60:
            return blocks.texts[index][-20:].rstrip(_CLOSING).endswith(_ELLIPSES)
    return False


def _is_faded(blocks: PageBlocks) -> bool:
    """Whether names of elements around the last blocks indicate text that fades out."""
    elements = load()["teaser"]["elements"]
    for index in blocks.kept[-2:]:
        names = _names_around(blocks, index)
        if any(name in names for name in elements["faded"]):
            return True
        is_complete = blocks.texts[index][-10:].rstrip(_CLOSING).endswith(_SENTENCE_ENDS)
        # moving elements have the same names
        if not is_complete and not set(names.split()).isdisjoint(elements["moving"]):
            return True
    return False


def _names_around(blocks: PageBlocks, index: int) -> str:
    return blocks.names_around(index).lower().replace("_", "-")


def _is_visible(blocks: PageBlocks, index: int) -> bool:
    """Whether a block is visible: many pages contain a gate for later, hidden."""
    wanted = " ".join(_WORD.findall(blocks.texts[index])[:12])
    return wanted in " ".join(_WORD.findall(Words(blocks.read_whole()).text))


def find_paid_access(data: Sequence[str]) -> int | None:
    """Return the length in words of a text that structured data declares not to be free: 0 if
    unknown, None if there is none.
    """
    word_count: int | None = None
    for script in data:
        if _ACCESS not in script or len(script) > _LONGEST_DATA:
            continue
        try:
            parsed = json.loads(script, strict=False)
        except (ValueError, RecursionError):
            continue
        for node in filter(_is_paid_text, islice(_walk_objects(parsed), _MOST_NODES)):
            count = str(node.get("wordCount"))
            word_count = max(word_count or 0, int(count[:9]) if count.isdecimal() else 0)
    return word_count


def _is_paid_text(node: dict[str, Any]) -> bool:
    """Whether an object of structured data describes a text that is not free."""
    kinds = _as_texts(node.get("@type"))
    if not any(kind.endswith("Book") or any(one in kind for one in _READABLE) for kind in kinds):
        return False
    access = node.get(_ACCESS)
    return access is False or (
        isinstance(access, str) and access.strip().lower() in ("false", "no")
    )


def _walk_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Iterate over the objects of parsed JSON."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _as_texts(value: Any) -> list[str]:
    """Return a string, or the strings of a list, as a list."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]
