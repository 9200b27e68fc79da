"""A reference that is a sentence, beside a record -> where the record's own words stand in it.

The parts of a sentence were guessed, and a wrong guess must accuse nobody: the record's title is
looked for in the whole sentence, and the venue is what stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry._search.scholarly.models import Record
from webquarry.verify.references.compare.fold import fold_letters, fold_words
from webquarry.verify.references.compare.titles import TitleMatch
from webquarry.verify.references.compare.venues import compare_venues
from webquarry.verify.references.models import Agreement, Reference

_ADDRESS = re.compile(
    r"(?:available at|retrieved from|accessed)?[:\s]{0,3}https?://\S+|\bdoi:?\s{0,3}10\.\S+"
    r"|\bPM(?:ID|CID):?\s{0,3}\w+|\barxiv:\S+",
    re.IGNORECASE,
)
_DETAILS = re.compile(
    r"[,(\s]{0,4}(?:\bvol\b|\bpp?\.|\bno\.|\d{1,4}\s?\(|\b\d{1,4}[:,]\s?\d|\b\d{1,5}[-–]\d)"
    r".{0,400}$",
    re.IGNORECASE | re.DOTALL,
)
_YEAR = re.compile(r"\(?\b(?:1[5-9]\d\d|20\d\d)[a-z]?\b\)?")
_PIECES = re.compile(r"[.,;:]\s+")
_LEADING = re.compile(r"^\W{0,9}(?:in\b:?\s+)?", re.IGNORECASE)
_LONGEST = 4_000
_MOST_PIECES = 8
_MOST_VENUE_WORDS = 9  # more are no name of a venue alone
_LEAST_LETTERS = 12


def find_title(reference: Reference, record: Record) -> TitleMatch | None:
    """A record's title that stands in the sentence; None where none does."""
    sentence = fold_letters(reference.text)
    for title in record.titles:
        letters = fold_letters(title)
        if len(letters) >= _LEAST_LETTERS and letters in sentence:
            return TitleMatch("same", title, 1.0)
    return None


def names_author(reference: Reference, record: Record, most: int = 8) -> bool:
    """Whether the sentence has the family name of one of a record's first authors as a word."""
    words = set(fold_words(reference.text))
    for author in record.authors[:most]:
        family = fold_words(author.family or author.written)[-1:]
        if family and len(family[0]) > 2 and family[0] in words:
            return True
    return False


def compare_sentence_venue(reference: Reference, record: Record, title: str) -> Agreement:
    """Whether what stands behind the title is one of the record's venues; what cannot be told apart
    is not checked.
    """
    tail = _find_tail(reference.text, title)
    if tail is None:
        return "not_checked"
    for part in [tail, *_list_parts(tail)]:
        if compare_venues(part, record.venues) == "yes":
            return "yes"
    words = tail.split()
    is_name = 0 < len(words) <= _MOST_VENUE_WORDS and not any(map(str.isdigit, tail))
    if not is_name:
        return "not_checked"
    return compare_venues(tail, record.venues)


def _find_tail(sentence: str, title: str) -> str | None:
    """What stands behind a title, without addresses, volume, pages and year."""
    words = [re.escape(word) for word in re.findall(r"\w+", title)]
    if not words:
        return None
    found = re.search(r"\W{1,6}".join(words), sentence[:_LONGEST], re.IGNORECASE)
    if found is None:
        return None
    behind = _ADDRESS.sub(" ", sentence[found.end() : _LONGEST])
    behind = _YEAR.sub(" ", _DETAILS.sub("", behind))
    return " ".join(_LEADING.sub("", behind).split()).strip(" ,.;:()\"“”'")


def _list_parts(tail: str) -> Sequence[str]:
    """The parts of a tail, alone and with their neighbours: "J. Mach. Learn. Res., Springer"."""
    pieces = [piece.strip() for piece in _PIECES.split(tail)][:_MOST_PIECES]
    parts = []
    for start in range(len(pieces)):
        for end in range(start + 1, len(pieces) + 1):
            parts.append(" ".join(pieces[start:end]))
    return parts
