"""Names as pages write them -> the parts that a citation needs; what is no person's name stays
whole.

`Okafor, Amara`, `Amara Okafor` and `By Amara Okafor and Per J. Lindqvist` are persons.
Organisations, single words and names in scripts without blanks are kept as written, because turning
them round would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from webquarry.evidence.language.text import clean_line

MOST_AUTHORS = 5000
_MOST_BYLINES = 50
_MOST_SHOWN = 20
_LONGEST_BYLINE = 2000  # characters
_LONGEST_NAME = 300
_LONGEST_PERSON = 200
_PARTICLES = "da das de del della den der des di do dos du el la le los van von zu zum zur ter ten"
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"(?:ph\.?d|m\.?d|m\.?a|m\.?sc|b\.?sc|mph|r\.?n|esq|d\.?phil|facp|cpa)\.?", re.IGNORECASE
)
_BY = re.compile(r"(?:written\s+|posted\s+)?by:?\s+", re.IGNORECASE)
# `Y` may be a middle initial
_AND = re.compile(r"\s*;\s*|\s*,\s+(?:and|&)\s+|\s+(?:and|und|et|y|&)\s+")
_JOINING_WORDS = frozenset({"and", "und", "et", "y", "&"})
_NOBODY = (
    "admin administrator anonymous author authors editor guest none null root staff undefined "
    "unknown user webmaster [deleted] n/a na wordpress"
)
_GROUP_WORDS = frozenset(
    """
    team staff desk editor editors editorial newsroom board group agency ministry department office
    university institute foundation association organisation organization committee council
    consortium collaboration society center centre press inc ltd llc gmbh corp corporation company
    contributors project network news times bank commission authority service services reuters
    correspondent
    """.split()  # noqa: SIM905
)
_GROUP = re.compile(
    rf"\b(?:{'|'.join(sorted(_GROUP_WORDS))})\b|[0-9@/]|\.(?:com|org|net)\b", re.IGNORECASE
)
_COMMA = re.compile(r"\s*,\s*")
_PARTICLE_SET = frozenset(_PARTICLES.split())
_NOBODY_SET = frozenset(_NOBODY.split())


@dataclass(frozen=True)
class Name:
    """A person in parts, or anybody else in `literal`."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""

    @property
    def written(self) -> str:
        """As one writes it in a text: given name first."""
        if self.literal:
            return self.literal
        parts = [self.given, self.family, self.suffix]
        return " ".join(filter(None, parts))


def byline(names: tuple[Name, ...]) -> str:
    """The authors in one line; of very many, the first ones and "et al."."""
    written = [name.written for name in names[:_MOST_SHOWN]]
    if len(names) > _MOST_SHOWN:
        written.append("et al.")
    return ", ".join(written)


def parse_group(name: str) -> Name | None:
    """An organisation, kept whole."""
    written = clean_line(name, _LONGEST_NAME)
    if not written or written.lower() in _NOBODY_SET:
        return None
    if "://" in written:
        return None
    return Name(literal=written)


def parse_people(texts: Iterable[str], *, lists: bool = True) -> tuple[Name, ...]:
    """The authors that these texts name, each once; `lists` allows several in one text."""
    found: dict[Name, None] = {}
    most = None
    if lists:
        most = _MOST_BYLINES
    for text in islice(texts, most):
        if lists:
            written = clean_line(text, _LONGEST_BYLINE)
            if "by" in written.lower():
                written = _BY.sub("", written, count=1)
        else:
            written = clean_line(text, _LONGEST_NAME)
        may_be_group = _names_group(written)
        parts = [written]
        if lists:
            parts = _split_byline(written, is_group=may_be_group)
        for part in parts:
            # what names a group nowhere names one in no part of it
            name = parse_person(part, may_be_group=may_be_group)
            if name and len(found) < MOST_AUTHORS:
                found[name] = None
    return tuple(found)


def parse_person(text: str, *, may_be_group: bool = True) -> Name | None:
    """One author; None for what names nobody: an address, a handle, `admin`. `may_be_group` is
    false for what is known to name no organisation.
    """
    text = text.strip().strip(",").strip()
    if not text or len(text) > _LONGEST_PERSON or text.lower() in _NOBODY_SET:
        return None
    if "://" in text or text.startswith("@"):
        return None
    is_email = "@" in text and " " not in text
    if is_email or not any(map(str.isalpha, text)):
        return None
    if may_be_group and _names_group(text):
        return Name(literal=text)
    if "," not in text and " " in text:  # as most; no credential holds a blank
        return _parse_given_first(text, "")
    return _parse_divided(text)


def _names_group(text: str) -> bool:
    """Whether a text has a word or a sign that is in no person's name."""
    if text.isascii():
        words = text.lower().split()
        if "".join(words).isalpha():  # as most: nothing but words and blanks
            return not _GROUP_WORDS.isdisjoint(words)
    return _GROUP.search(text) is not None


def _parse_divided(text: str) -> Name:
    """`Family, Given`, with titles and suffixes between further commas."""
    parts: list[str] = []
    suffix = ""
    for part in _COMMA.split(text):
        if not part or _CREDENTIAL.fullmatch(part):
            continue
        if parts and _SUFFIX.fullmatch(part) and suffix in ("", part):
            suffix = part
        else:
            parts.append(part)
    if len(parts) == 2:
        return Name(family=parts[0], given=parts[1], suffix=suffix)
    if len(parts) == 1:
        return _parse_given_first(parts[0], suffix)
    return Name(literal=text)


def _parse_given_first(text: str, suffix: str) -> Name:
    """`Given Family`: the last word and the particles in front of it are the family name."""
    words = text.split()
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) and not suffix:
        suffix = words.pop()
    if not 2 <= len(words) <= 6 or not all(word[0].isalpha() for word in words):
        return Name(literal=text)
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLE_SET:
        start -= 1
    family = " ".join(words[start:])
    given = " ".join(words[:start])
    return Name(family=family, given=given, suffix=suffix)


def _split_byline(text: str, *, is_group: bool) -> list[str]:
    """The names in a byline. A comma divides names only where each part of the whole looks like a
    full one.
    """
    if is_group and ";" not in text:
        return [text]
    is_divided = ";" in text or "," in text
    if not is_divided and _JOINING_WORDS.isdisjoint(text.split()):
        return [text]  # as most: one name
    names: list[str] = []
    pieces = _AND.split(text)
    for piece in pieces:
        full: list[str] = []  # what stands between commas, titles and suffixes left out
        for part in piece.split(","):
            part = part.strip()
            is_title = _SUFFIX.fullmatch(part) or _CREDENTIAL.fullmatch(part)
            if part and not is_title:
                full.append(part)
        are_full_names = all(len(part.split()) > 1 for part in full)
        if len(full) > 1 and are_full_names:
            names += full
        else:
            names.append(piece)
    return names
