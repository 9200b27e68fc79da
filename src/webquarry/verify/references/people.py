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

_MAX_AUTHORS = 5_000
_MAX_NAME = 300
_BRACED = re.compile(r"\{[^{}]*\}")
_AND = re.compile(r"\s+and\s+|\s*;\s*", re.IGNORECASE)
ET_AL = re.compile(
    r"\b(?:et\.?\s{0,2}al\b\.?|and others|u\.\s?a\.|и др\.?)|^others$|…|\.\.\.", re.IGNORECASE
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]{0,2}){1,4}")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)


def parse_authors(text: str) -> tuple[tuple[Author, ...], bool]:
    """Return the authors of a field, and whether it ends in "et al."."""
    text = " ".join(html.unescape(text).split())
    names = [ET_AL.sub("", name) for name in _split_names(text)]
    authors = [parse_author(name) for name in names[:_MAX_AUTHORS]]
    return tuple(filter(None, authors)), ET_AL.search(text) is not None


def parse_author(text: str) -> Author | None:
    """Return one author; "Family, Given" is split, other names are not."""
    is_literal = text.strip().startswith("{") and text.strip().endswith("}")
    plain = " ".join(decode_tex(text[:_MAX_NAME]).split()).strip(" ,;.")
    if not any(map(str.isalpha, plain)):
        return None
    if is_literal or "," not in plain:
        return Author(plain)
    family, *others = [part.strip() for part in plain.split(",") if part.strip()]
    given = " ".join(part for part in others if not _SUFFIX.fullmatch(part))
    return Author(f"{given} {family}", family, given) if given else Author(family)


def _split_names(text: str) -> list[str]:
    """Return the names of a list; commas separate names only if nothing else does."""
    pieces = [piece.strip() for piece in _split_outside_braces(text) if piece.strip()]
    if len(pieces) != 1:
        return pieces
    parts = [part.strip() for part in pieces[0].split(",") if part.strip()]
    if len(parts) > 1 and all(len(part.split()) > 1 for part in parts):
        return parts
    if len(parts) > 3 and len(parts) % 2 == 0:  # Family, G., Family, G.
        return [", ".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return pieces


def _split_outside_braces(text: str) -> list[str]:
    """Split at "and" and semicolons outside braces."""
    held = _BRACED.sub(lambda found: found[0].replace(" ", "\0").replace(";", "\1"), text)
    return [part.replace("\0", " ").replace("\1", ";") for part in _AND.split(held)]


def split_list(text: str) -> list[str]:
    """Return the names of a list in a sentence (APA, MLA, Vancouver)."""
    text = re.sub(r"\s*(?:,\s*)?(?:&|\band\b)\s+", ", ", text)
    names: list[str] = []
    for part in [part.strip() for part in text.split(",") if part.strip(" .")]:
        if _INITIALS.fullmatch(part) and names and "," not in names[-1]:
            names[-1] = f"{names[-1]}, {part}"
        else:
            names.append(part)
    return names


_MAX_COMPARED = 200  # authors of one list
_GROUP = re.compile(
    r"(?i)\b(?:collaboration|consortium|group|team|network|committee|investigators|initiative"
    r"|project|society|organi[sz]ation|association|university|institute|foundation|council)\b"
)
_Reading = tuple[str, tuple[str, ...]]  # family name and given names


@dataclass(frozen=True)
class AuthorMatch:
    """The numbers of common and other authors of two lists."""

    common: int
    given: int
    recorded: int
    strangers: tuple[str, ...] = ()  # given authors that the record does not have
    missing: tuple[str, ...] = ()  # authors of the record that were not given


def match_authors(given: Sequence[Author], recorded: Sequence[Author]) -> AuthorMatch:
    """Pair the authors of two lists."""
    left = given[:_MAX_COMPARED]
    right = recorded[:_MAX_COMPARED]
    readings = [_read_name(author) for author in right]
    by_family: dict[str, list[int]] = {}
    for place, ways in enumerate(readings):
        for family, _ in ways:
            by_family.setdefault(family, []).append(place)
    taken: set[int] = set()
    strangers: list[str] = []
    for author in left:
        candidates = [
            place
            for way in _read_name(author)
            for place in by_family.get(way[0], ())
            if place not in taken and any(_fits(way, other) for other in readings[place])
        ]
        if candidates:
            taken.add(candidates[0])
        else:
            strangers.append(author.written)
    missing = [one.written for place, one in enumerate(right) if place not in taken]
    return AuthorMatch(len(taken), len(left), len(right), tuple(strangers), tuple(missing))


def is_group(name: str) -> bool:
    """Return whether a name is that of a group of people."""
    return _GROUP.search(name) is not None


def _fits(left: _Reading, right: _Reading) -> bool:
    """Return whether family names are equal and given names compatible."""
    ours, theirs = left[1], right[1]
    if left[0] != right[0]:
        return False
    if not ours or not theirs:
        return True
    # The first name may be left out if the second one is used.
    pairs = [(ours[0], name) for name in theirs] + [(theirs[0], name) for name in ours]
    return any(_begin_alike(*pair) for pair in pairs)


def _begin_alike(left: str, right: str) -> bool:
    """Return whether two given names are compatible: initials, short forms, prefixes."""
    shorter, longer = sorted((left, right), key=len)
    is_short = len(shorter) <= 3 and shorter[0] == longer[0]  # initials, or a nickname
    return is_short or longer.startswith(shorter) or left[:3] == right[:3]


def _read_name(author: Author) -> list[_Reading]:
    """Return the readings of a name, the likeliest first."""
    if not author.family:
        ways = _split_words(_drop_marks(fold_words(author.written)))
    else:
        family = _drop_marks(fold_words(author.family))
        given = fold_words(author.given)
        ways = [("".join(family), given)]
        if given:  # the parts may have been swapped, or split elsewhere
            ways += [("".join(given), family), *_split_words((*given, *family))]
    return list(dict.fromkeys(way for way in ways if way[0]))


def _split_words(words: tuple[str, ...]) -> list[_Reading]:
    """Return the readings with the last one or two words, or the first ones as the family name."""
    if len(words) < 2:
        return [(word, ()) for word in words]
    ways = [(words[-1], words[:-1]), (words[0], words[1:])]
    if len(words) > 2:
        ways += [("".join(words[-2:]), words[:-2]), ("".join(words[:2]), words[2:])]
    return ways


def _drop_marks(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words without homonym numbers and suffixes."""
    words = [word for word in words if not (word.isdigit() and len(word) == 4)]
    if len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        words.pop()
    return tuple(words)
