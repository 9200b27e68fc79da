"""Authors as bibliographies write them -> one by one, and whether the list says there are more.

BibTeX divides them by "and"; people who do not know that write commas; a literal in braces is one
name, whatever is in it.
"""

from __future__ import annotations

import html
import re

from webquarry._search.scholarly.models import Author
from webquarry.verify.references.forms.tex import decode_tex

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
    """The authors of one field, and whether it ends in "et al."."""
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
    """One name; "Family, Given" is taken apart, any other stays whole."""
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
    """The names of a list. Commas divide names only where there is no "and", and the parts are
    whole names.
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
    """Divide at "and" and semicolons that stand outside braces."""
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
    """The names of a list in a sentence, as APA, MLA and Vancouver write them, one by one."""
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
