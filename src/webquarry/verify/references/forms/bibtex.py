"""BibTeX -> its entries, each with type, key, fields and the line where it begins.

Read in one pass over the text: braces and quotes may be nested, macros (`@string`) are filled in,
comments and what stands between entries are passed over. An entry that never ends is taken as far
as the next line that begins with `@`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ENTRY = re.compile(r"@\s{0,9}([A-Za-z]{1,40})\s{0,9}([{(])")
_KEY = re.compile(r"\s*+([^\s,{}()=\"#%]{0,200})\s*+,")
_GAP = re.compile(r"[\s,]*+")
_FIELD = re.compile(r"([A-Za-z][\w:.+/-]{0,60})\s*+=\s*+")
_BARE = re.compile(r"[^\s,#{}\"()]{1,300}")
_NEXT_ENTRY = re.compile(r"^[ \t]{0,9}@[ \t]{0,9}[A-Za-z]{1,40}[ \t]{0,9}[{(]", re.MULTILINE)
# name = {value},  or with quotes or bare, in one line
_LINE = re.compile(
    r"^[ \t]{0,20}([A-Za-z][\w:.+/-]{0,60})[ \t]{0,20}=[ \t]{0,20}"
    r"[{\"]?([^\n]{0,5000}?)[}\"]?,?[ \t]{0,20}$",
    re.MULTILINE,
)
_JOIN = re.compile(r"\s*+#\s*+")
_BRACES = re.compile(r"[{}]")
_BRACKETS = re.compile(r"[{}()]")
_MARKS = re.compile(r"[{}\"]")
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = dict.fromkeys(_MONTH_NAMES.split(), "")
MOST_ENTRIES = 10_000  # of one text
_SKIPPED = frozenset({"comment", "preamble"})


@dataclass(frozen=True)
class BibEntry:
    """One entry; names of fields are in lower case, values as they were written."""

    kind: str
    key: str
    fields: dict[str, str] = field(default_factory=dict)
    text: str = ""
    line: int = 1


def looks_like_bibtex(text: str) -> bool:
    """Whether a text has an entry in it."""
    found = _ENTRY.search(text)
    return found is not None and not text[: found.start()].strip().startswith("{")


def read_bibtex(text: str) -> list[BibEntry]:
    """The entries of a text, in order."""
    macros: dict[str, str] = dict(_MONTHS)
    entries: list[BibEntry] = []
    place, line, counted = 0, 1, 0
    limit = -1  # where the entry ends at the latest: at a line that begins the next one
    while True:
        found = _ENTRY.search(text, place)
        if found is None or len(entries) == MOST_ENTRIES:
            return entries
        line += text.count("\n", counted, found.start())
        counted = found.start()
        kind = found[1].lower()
        if limit < found.end():  # looked for once, not once for every entry before it
            following = _NEXT_ENTRY.search(text, found.end())
            limit = following.start() if following else len(text)
        end = _find_end(text, found.end() - 1, limit)
        body = text[found.end() : end]
        place = max(end, found.end())
        if kind in _SKIPPED:
            continue
        if kind == "string":
            macros |= dict(_read_fields(body, macros))
            continue
        key, start = "", 0
        found_key = _KEY.match(body)
        if found_key:
            key, start = found_key[1], found_key.end()
        fields: dict[str, str] = {}
        for name, value in _read_fields(body[start:], macros):
            fields.setdefault(name, value)
        if end == limit:  # a brace is missing somewhere, and swallowed what follows it
            fields = _read_lines(body[start:], fields)
        written = text[found.start() : end + 1]
        entries.append(BibEntry(kind, key, fields, written, line))


def _find_end(text: str, opening: int, limit: int) -> int:
    """Where the bracket at this place is closed; of one that is not, the limit."""
    opener = text[opening]
    closer, marks = "}", _BRACES
    if opener == "(":
        closer, marks = ")", _BRACKETS
    braces = 0  # within round brackets, those in braces do not count
    depth = 0
    for found in marks.finditer(text, opening, limit):
        mark = found[0]
        if opener == "(" and mark in "{}":
            braces += 1 if mark == "{" else -1
        elif braces > 0:
            continue
        elif mark == opener:
            depth += 1
        elif mark == closer:
            depth -= 1
            if depth == 0:
                return found.start()
    return limit


def _read_fields(body: str, macros: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The fields of the inside of an entry."""
    place = 0
    while True:
        gap = _GAP.match(body, place)
        place = gap.end() if gap else place
        name = _FIELD.match(body, place)
        if name is None:
            # What is no field is passed over, up to the next comma.
            place = body.find(",", place)
            if place < 0:
                return
            continue
        value, place = _read_value(body, name.end(), macros)
        yield name[1].lower(), " ".join(value.split())


def _read_lines(body: str, fields: dict[str, str]) -> dict[str, str]:
    """The fields of an entry whose braces do not match, if each stands in a line of its own."""
    by_line: dict[str, str] = {}
    for name, value in _LINE.findall(body):
        by_line.setdefault(name.lower(), " ".join(value.split()))
    return by_line if len(by_line) > len(fields) else fields


def _read_value(body: str, place: int, macros: dict[str, str]) -> tuple[str, int]:
    """A value of one or several parts joined by `#`, and where it ends."""
    parts: list[str] = []
    while place < len(body):
        mark = body[place]
        if mark == "{":
            end = _find_end(body, place, len(body))
            parts.append(body[place + 1 : end])
            place = end + 1
        elif mark == '"':
            end = _find_quote(body, place)
            parts.append(body[place + 1 : end])
            place = end + 1
        else:
            bare = _BARE.match(body, place)
            if bare is None:
                break
            parts.append(macros.get(bare[0].lower(), bare[0]))
            place = bare.end()
        joined = _JOIN.match(body, place)
        if joined is None:
            break
        place = joined.end()
    return "".join(parts), place


def _find_quote(body: str, opening: int) -> int:
    """Where a quoted value ends: at a quote outside braces."""
    depth = 0
    for found in _MARKS.finditer(body, opening + 1):
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
        elif depth <= 0:
            return found.start()
    return len(body)
