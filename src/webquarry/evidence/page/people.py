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

from webquarry.evidence.language.text import line

MOST_AUTHORS = 5000
_MOST_BYLINES = 50
_MOST_SHOWN = 20
_PARTICLES = "da das de del della den der des di do dos du el la le los van von zu zum zur ter ten"
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"(?:ph\.?d|m\.?d|m\.?a|m\.?sc|b\.?sc|mph|r\.?n|esq|d\.?phil|facp|cpa)\.?", re.IGNORECASE
)
_BY = re.compile(r"(?:written\s+|posted\s+)?by:?\s+", re.IGNORECASE)
_AND = re.compile(
    r"\s*;\s*|\s*,\s+(?:and|&)\s+|\s+(?:and|und|et|y|&)\s+"
)  # `Y` may be a middle initial
_NOBODY = (
    "admin administrator anonymous author authors editor guest none null root staff undefined "
    "unknown user webmaster"
    " [deleted] n/a na wordpress"
)
_GROUP = re.compile(
    r"\b(?:team|staff|desk|editors?|editorial|newsroom|board|group|agency|ministry|department|office|university|institute"
    r"|foundation|association|organi[sz]ation|committee|council|consortium|collaboration|society|center|centre|press"
    r"|inc|ltd|llc|gmbh|corp(?:oration)?|company|contributors|project|network|news|times|bank|commission|authority"
    r"|service|services|reuters|correspondent)\b|[0-9@/]|\.(?:com|org|net)\b",
    re.IGNORECASE,
)
_PARTICLE_SET, _NOBODY_SET = frozenset(_PARTICLES.split()), frozenset(_NOBODY.split())


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
        return " ".join(filter(None, [self.given, self.family, self.suffix]))


def byline(names: tuple[Name, ...]) -> str:
    """The authors in one line; of very many, the first ones and "et al."."""
    written = [name.written for name in names[:_MOST_SHOWN]]
    return ", ".join([*written, "et al."] if len(names) > _MOST_SHOWN else written)


def parse_group(name: str) -> Name | None:
    """An organisation, kept whole."""
    written = line(name, 300)
    if written and written.lower() not in _NOBODY_SET and "://" not in written:
        return Name(literal=written)
    return None


def parse_people(texts: Iterable[str], *, lists: bool = True) -> tuple[Name, ...]:
    """The authors that these texts name, each once; `lists` allows several in one text."""
    found: dict[Name, None] = {}
    for text in islice(texts, _MOST_BYLINES if lists else None):
        for part in _split(_BY.sub("", line(text, 2000), count=1)) if lists else [line(text, 300)]:
            name = parse_person(part)
            if name and len(found) < MOST_AUTHORS:
                found[name] = None
    return tuple(found)


def parse_person(text: str) -> Name | None:
    """One author; None for what names nobody: an address, a handle, `admin`."""
    text = text.strip().strip(",").strip()
    if (
        not text
        or len(text) > 200
        or "://" in text
        or text.startswith("@")
        or text.lower() in _NOBODY_SET
    ):
        return None
    if ("@" in text and " " not in text) or not any(
        letter.isalpha() for letter in text
    ):  # an e-mail address, a number
        return None
    if _GROUP.search(text):
        return Name(literal=text)
    parts = [
        part for part in re.split(r"\s*,\s*", text) if part and not _CREDENTIAL.fullmatch(part)
    ]
    suffix = next((part for part in parts[1:] if _SUFFIX.fullmatch(part)), "")
    parts = [part for part in parts if part != suffix or part is parts[0]]
    if len(parts) == 2:
        return Name(family=parts[0], given=parts[1], suffix=suffix)
    if len(parts) == 1:
        return _straight(parts[0], suffix)
    return Name(literal=text)


def _straight(text: str, suffix: str) -> Name:
    """`Given Family`: the last word and the particles in front of it are the family name."""
    words = text.split()
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) and not suffix:
        suffix = words.pop()
    if not 2 <= len(words) <= 6 or not all(word[0].isalpha() for word in words):
        return Name(literal=text)
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLE_SET:
        start -= 1
    return Name(family=" ".join(words[start:]), given=" ".join(words[:start]), suffix=suffix)


def _split(text: str) -> list[str]:
    """The names in a byline. A comma divides names only where each part of the whole looks like a
    full one.
    """
    if _GROUP.search(text) and ";" not in text:
        return [text]
    names: list[str] = []
    for piece in _AND.split(text):
        parts = [part.strip() for part in piece.split(",") if part.strip()]
        full = [
            part
            for part in parts
            if not _SUFFIX.fullmatch(part) and not _CREDENTIAL.fullmatch(part)
        ]
        several = len(full) > 1 and all(len(part.split()) > 1 for part in full)
        names.extend(full if several else [piece])
    return names
