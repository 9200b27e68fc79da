"""Authors: lists of names split into authors, and two lists compared.

BibTeX separates names by "and", other lists by commas; a literal in braces is one name. Names are
compared by family name and initials in both readings of a name: "Given Family", "Family, Given",
family first as in East Asia, initials, particles, middle names left out. Order never differs:
proceedings are registered with authors in alphabetical order.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._search.scholarly.models import Author
from webquarry.verify.references.text import decode_tex, fold_words

_MOST = 5_000
_LONGEST_NAME = 300
_AND = re.compile(r"\s+and\s+|\s*;\s*", re.IGNORECASE)
_ENTITY = re.compile(r"&(?=#?\w{1,9};)")
_MORE = re.compile(
    r"\b(?:et\.?\s{0,2}al\b\.?|and others|u\.\s?a\.|и др\.?)|^others$|…|\.\.\.", re.I
)
_HOMONYM = re.compile(r"\s+\d{4}$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]{0,2}){1,4}")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)


def parse_authors(text: str) -> tuple[tuple[Author, ...], bool]:
    """Return the authors of a field, and whether it ends in "et al."."""
    text = " ".join(html.unescape(text).split())
    is_shortened = _MORE.search(text) is not None
    authors: list[Author] = []
    for piece in _split_names(text):
        if _MORE.fullmatch(piece.strip()):
            continue
        author = parse_author(_MORE.sub("", piece))
        if author is not None:
            authors.append(author)
    return tuple(authors[:_MOST]), is_shortened


def parse_author(text: str) -> Author | None:
    """Return one author; "Family, Given" is split, other names are not."""
    is_literal = text.strip().startswith("{") and text.strip().endswith("}")
    plain = " ".join(decode_tex(text[:_LONGEST_NAME]).split()).strip(" ,;.")
    plain = _HOMONYM.sub("", plain)
    if not any(letter.isalpha() for letter in plain):
        return None
    if "," not in plain or is_literal:
        return Author(plain)
    parts = [part.strip() for part in plain.split(",") if part.strip()]
    if len(parts) == 2 and _SUFFIX.fullmatch(parts[1]):
        return Author(parts[0])
    kept = [part for part in parts[1:] if not _SUFFIX.fullmatch(part)]
    if not kept:
        return Author(parts[0])
    given = " ".join(kept)
    return Author(f"{given} {parts[0]}", parts[0], given)


def _split_names(text: str) -> list[str]:
    """Return the names of a list; commas separate names only without "and" and if each part is a
    name.
    """
    pieces = [piece.strip() for piece in _split_outside_braces(text) if piece.strip()]
    if len(pieces) != 1 or pieces[0].count(",") < 1:
        return pieces
    parts = [part.strip() for part in pieces[0].split(",") if part.strip()]
    if len(parts) > 1 and all(len(part.split()) > 1 for part in parts):
        return parts
    if len(parts) > 3 and len(parts) % 2 == 0:  # Family, G., Family, G.
        couples = zip(parts[::2], parts[1::2], strict=True)
        return [f"{family}, {initials}" for family, initials in couples]
    return pieces


def _split_outside_braces(text: str) -> list[str]:
    """Split at "and" and semicolons outside braces."""
    if "{" not in text:
        return _AND.split(text)
    pieces: list[str] = []
    start, depth, counted = 0, 0, 0
    for found in _AND.finditer(text):
        between = text[counted : found.start()]
        depth += between.count("{") - between.count("}")
        counted = found.start()
        if depth <= 0:
            pieces.append(text[start : found.start()])
            start = found.end()
    pieces.append(text[start:])
    return pieces


def split_list(text: str) -> list[str]:
    """Return the names of a list in a sentence (APA, MLA, Vancouver)."""
    text = re.sub(r"\s*(?:,\s*)?(?:&|\band\b)\s+", ", ", text)
    parts = [part.strip() for part in text.split(",") if part.strip(" .")]
    names: list[str] = []
    for part in parts:
        is_given = _INITIALS.fullmatch(part) is not None
        if is_given and names and "," not in names[-1]:
            names[-1] = f"{names[-1]}, {part}"
        else:
            names.append(part)
    return names


_MOST_COMPARED = 200  # authors of one list
_PARTICLES_WORDS = (
    "da das de del della den der des di do dos du el la le los van von zu zum zur ter ten "
    "al bin ibn mac mc st san santa"
)
_PARTICLES = frozenset(_PARTICLES_WORDS.split())
_GROUP = re.compile(
    r"(?i)\b(?:collaboration|consortium|group|team|network|committee|investigators|initiative"
    r"|project|society|organi[sz]ation|association|university|institute|foundation|council)\b"
)
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


@dataclass(frozen=True)
class AuthorMatch:
    """The numbers of common and other authors of two lists."""

    common: int
    given: int
    recorded: int
    strangers: tuple[str, ...] = ()  # given authors that the record does not have
    missing: tuple[str, ...] = ()  # authors of the record that were not given
    is_same_order: bool = True


@dataclass(frozen=True)
class _NameReading:
    """One reading of a name: the family name and the given names."""

    family: str
    given: tuple[str, ...]


def match_authors(given: Sequence[Author], recorded: Sequence[Author]) -> AuthorMatch:
    """Pair the authors of two lists."""
    left = list(given[:_MOST_COMPARED])
    right = list(recorded[:_MOST_COMPARED])
    readings = [_read_name(author) for author in right]
    by_family: dict[str, list[int]] = {}
    for place, ways in enumerate(readings):
        for way in ways:
            by_family.setdefault(way.family, []).append(place)
    taken: set[int] = set()
    strangers: list[str] = []
    places: list[int] = []
    for author in left:
        partner = _find_partner(author, readings, by_family, taken)
        if partner is None:
            strangers.append(author.written)
        else:
            taken.add(partner)
            places.append(partner)
    missing = [one.written for place, one in enumerate(right) if place not in taken]
    return AuthorMatch(
        common=len(taken),
        given=len(left),
        recorded=len(right),
        strangers=tuple(strangers),
        missing=tuple(missing),
        is_same_order=places == sorted(places),
    )


def is_group(name: str) -> bool:
    """Return whether a name is that of a group of people."""
    return _GROUP.search(name) is not None


def _find_partner(
    author: Author,
    readings: Sequence[Sequence[_NameReading]],
    by_family: dict[str, list[int]],
    taken: set[int],
) -> int | None:
    for way in _read_name(author):
        for place in by_family.get(way.family, ()):
            if place in taken:
                continue
            if any(_fits(way, other) for other in readings[place]):
                return place
    return None


def _fits(left: _NameReading, right: _NameReading) -> bool:
    """Return whether family names are equal and given names compatible."""
    if left.family != right.family:
        return False
    if not left.given or not right.given:
        return True
    ours = left.given
    theirs = right.given
    if "".join(ours) == "".join(theirs):
        return True
    if _begin_alike(ours[0], theirs[0]):
        return True
    # A first name may be left out where people go by their second one, and initials may be written
    # together: "JW" for "Jan Willem".
    if any(_begin_alike(ours[0], name) for name in theirs[1:]):
        return True
    if any(_begin_alike(theirs[0], name) for name in ours[1:]):
        return True
    initials = "".join(name[0] for name in theirs)
    others = "".join(name[0] for name in ours)
    return "".join(ours) == initials or "".join(theirs) == others


def _begin_alike(left: str, right: str) -> bool:
    """Return whether two given names are compatible: initials, short forms, prefixes."""
    if len(left) == 1 or len(right) == 1:
        return left[0] == right[0]
    shorter, longer = sorted((left, right), key=len)
    if longer.startswith(shorter) or left[:3] == right[:3]:
        return True
    return left[0] == right[0] and len(shorter) <= 3  # initials together, or a nickname


def _read_name(author: Author) -> list[_NameReading]:
    """Return the readings of a name, the likeliest first."""
    if author.family:
        family = fold_words(author.family)
        given = fold_words(author.given)
        family = _drop_marks(family)
        ways = [_NameReading("".join(family), given)]
        if given:  # the parts may have been swapped, or divided at another place
            ways.append(_NameReading("".join(given), family))
            ways += _split_words((*given, *family))
    else:
        words = _drop_marks(fold_words(author.written))
        ways = _split_words(words)
    unique = dict.fromkeys(way for way in ways if way.family)
    return list(unique)


def _split_words(words: Sequence[str]) -> list[_NameReading]:
    """Return the readings with the last word, the last with particles, the first or two words as
    the family name.
    """
    if not words:
        return []
    words = tuple(words)
    if len(words) == 1:
        return [_NameReading(words[0], ())]
    ways = [_NameReading(words[-1], words[:-1])]
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    ways.append(_NameReading("".join(words[start:]), words[:start]))
    ways.append(_NameReading(words[0], words[1:]))
    if len(words) > 2:
        ways.append(_NameReading("".join(words[-2:]), words[:-2]))
        ways.append(_NameReading("".join(words[:2]), words[2:]))
    return ways


def _drop_marks(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words without homonym numbers and suffixes."""
    kept = [word for word in words if not (word.isdigit() and len(word) == 4)]
    if len(kept) > 1 and kept[-1] in _SUFFIXES:
        kept.pop()
    return tuple(kept)
