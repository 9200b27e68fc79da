"""Names of authors in parts, as citations need them.

`Okafor, Amara`, `Amara Okafor` and `By Amara Okafor and Per J. Lindqvist` are persons.
Organisations, single words and names in scripts without spaces stay whole, because their parts are
not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from webquarry.evidence.page.text import clean_line

MOST_AUTHORS = 5000
_MAX_BYLINES = 50
_MAX_SHOWN = 20
_MAX_BYLINE = 2000  # characters
_MAX_NAME = 300
_MAX_PERSON = 200
_PARTICLES = frozenset(
    """
    da das de del della den der des di do dos du el la le los van von zu zum zur ter ten
    """.split()  # noqa: SIM905
)
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"(?:ph\.?d|m\.?d|m\.?a|m\.?sc|b\.?sc|mph|r\.?n|esq|d\.?phil|facp|cpa)\.?", re.IGNORECASE
)
_BY = re.compile(r"(?:written\s+|posted\s+)?by:?\s+", re.IGNORECASE)
# `Y` may be a middle initial
_AND = re.compile(r"\s*;\s*|\s*,\s+(?:and|&)\s+|\s+(?:and|und|et|y|&)\s+")
_NOT_NAMES = frozenset(
    """
    admin administrator anonymous author authors editor guest none null root staff undefined
    unknown user webmaster [deleted] n/a na wordpress
    """.split()  # noqa: SIM905
)
_GROUP_WORDS = """
    team staff desk editor editors editorial newsroom board group agency ministry department office
    university institute foundation association organisation organization committee council
    consortium collaboration society center centre press inc ltd llc gmbh corp corporation company
    contributors project network news times bank commission authority service services reuters
    correspondent
"""
_GROUP = re.compile(
    rf"\b(?:{'|'.join(_GROUP_WORDS.split())})\b|[0-9@/]|\.(?:com|org|net)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Name:
    """A person in parts, or any other author in `literal`."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""

    @property
    def written(self) -> str:
        """The name as in a text, given name first."""
        return self.literal or " ".join(filter(None, [self.given, self.family, self.suffix]))


def byline(names: tuple[Name, ...]) -> str:
    """Return the authors on one line; more than twenty end in "et al."."""
    written = [name.written for name in names[:_MAX_SHOWN]]
    return ", ".join([*written, "et al."] if len(names) > _MAX_SHOWN else written)


def parse_group(name: str) -> Name | None:
    """Return the name of an organisation."""
    written = clean_line(name, _MAX_NAME)
    if not written or written.lower() in _NOT_NAMES or "://" in written:
        return None
    return Name(literal=written)


def parse_people(texts: Iterable[str], *, lists: bool = True) -> tuple[Name, ...]:
    """Return the different authors in texts; with `lists` a text may name several."""
    found: dict[Name, None] = {}
    for text in islice(texts, _MAX_BYLINES if lists else None):
        written = clean_line(text, _MAX_BYLINE if lists else _MAX_NAME)
        for part in _split_byline(_BY.sub("", written, count=1)) if lists else [written]:
            name = parse_person(part)
            if name and len(found) < MOST_AUTHORS:
                found[name] = None
    return tuple(found)


def parse_person(text: str) -> Name | None:
    """Return one author; None for URLs, handles, mail addresses and words such as `admin`."""
    text = text.strip().strip(",").strip()
    if not text or len(text) > _MAX_PERSON or text.lower() in _NOT_NAMES:
        return None
    is_mail = "@" in text and " " not in text
    if is_mail or "://" in text or text.startswith("@") or not any(map(str.isalpha, text)):
        return None
    if _GROUP.search(text):
        return Name(literal=text)
    # `Family, Given`, with titles and suffixes after further commas
    parts: list[str] = []
    suffix = ""
    for part in map(str.strip, text.split(",")):
        if not part or _CREDENTIAL.fullmatch(part):
            continue
        if parts and _SUFFIX.fullmatch(part) and suffix in ("", part):
            suffix = part
        else:
            parts.append(part)
    if len(parts) == 2:
        return Name(family=parts[0], given=parts[1], suffix=suffix)
    return _parse_given_first(parts[0], suffix) if len(parts) == 1 else Name(literal=text)


def _parse_given_first(text: str, suffix: str) -> Name:
    """Parse `Given Family`: the last word and the particles before it are the family name."""
    words = text.split()
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) and not suffix:
        suffix = words.pop()
    if not 2 <= len(words) <= 6 or not all(word[0].isalpha() for word in words):
        return Name(literal=text)
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return Name(family=" ".join(words[start:]), given=" ".join(words[:start]), suffix=suffix)


def _split_byline(text: str) -> list[str]:
    """Split a byline into names. Commas separate names only if each part has several words."""
    if ";" not in text and _GROUP.search(text):
        return [text]
    names: list[str] = []
    for piece in _AND.split(text):
        parts = [part for part in map(str.strip, piece.split(",")) if part]
        full = [one for one in parts if not (_SUFFIX.fullmatch(one) or _CREDENTIAL.fullmatch(one))]
        are_names = len(full) > 1 and all(len(part.split()) > 1 for part in full)
        names += full if are_names else [piece]
    return names
