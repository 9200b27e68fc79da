"""Syntax of drafts: quotation marks of all languages, and addresses with notes in Markdown."""

from __future__ import annotations

import re
from typing import NamedTuple

Range = tuple[int, int]

# Opening marks and what may close them. German closes with what English opens.
_CLOSING = {
    "“": "”“", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "《": "》", "‟": "”",
    "＂": "＂", "‹": "›",
}  # fmt: skip
_STRAIGHT = '"'
_SINGLE, _SINGLE_END = "‘", "’"
_MARK = re.compile('[“”„«»「」『』《》‟＂‹›"‘’]')
_LONGEST = 5_000  # characters of a quotation in running text


def find_quotations(text: str) -> list[Range]:
    """Return the ranges between the outermost pairs of quotation marks."""
    ranges: list[Range] = []
    opened = -1
    closing = ""
    depth = 0
    opening = ""
    for found in _MARK.finditer(text):
        mark = found[0]
        place = found.start()
        if opened >= 0 and place - opened > _LONGEST:
            opened = -1
        if opened < 0:
            closing = _find_closing(text, mark, place)
            if closing:
                opened = found.end()
                depth = 0
                opening = mark
            continue
        if mark in closing and not _is_apostrophe(text, mark, place):
            if depth:
                depth -= 1
            else:
                ranges.append((opened, place))
                opened = -1
        elif mark == opening and mark != _STRAIGHT:
            depth += 1
    return ranges


def _find_closing(text: str, mark: str, place: int) -> str:
    """Return the marks that close the pair of an opening mark, or an empty string."""
    before = text[place - 1 : place]
    behind = text[place + 1 : place + 2]
    if not behind or (behind.isspace() and mark != "«"):  # French sets a blank
        return ""
    if mark == _STRAIGHT:
        is_inside = before.isalnum() or before in ".,;:!?)"
        return "" if before and is_inside else _STRAIGHT
    if mark == _SINGLE:
        return "" if before.isalnum() else _SINGLE_END
    if mark == "»" and before.isalnum():
        return ""
    return _CLOSING.get(mark, "")


def _is_apostrophe(text: str, mark: str, place: int) -> bool:
    """Return whether a closing mark is within a word or opens the next one."""
    before = text[place - 1 : place]
    behind = text[place + 1 : place + 2]
    if mark == _SINGLE_END:
        return before.isalnum() and behind.isalnum()
    if mark == _STRAIGHT:
        return before.isspace() and behind.isalnum()
    return False


_LINK = re.compile(
    r"\]\(\s*<?(https?://(?:[^()\s<>]|\([^()\s]*\)){1,2000})>?(?:\s+\"[^\"\n]*\")?\s*\)"
)
_BARE = re.compile(
    r"(?<![(\w])https?://[^\s<>\"”’»\]]{1,2000}|(?<=\()https?://[^\s<>\"”)\]]{1,2000}"
)
_DOI = re.compile(r"(?<![\w/.])(?:doi:\s?)?(10\.\d{4,9}/[^\s\"<>\]”’]{1,300})", re.IGNORECASE)
_PMID = re.compile(r"\bPMID:?\s?(\d{4,9})\b", re.IGNORECASE)
_ARXIV = re.compile(
    r"\barxiv:\s?(\d{4}\.\d{4,5}(?:v\d{1,3})?|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7})\b", re.IGNORECASE
)
_NOTE = re.compile(r"\[(\^?[\w.-]{1,40})\](?!\(|:)")
# Where notes are told: `[^1]: ...`, `[1]: https://...`, entries `[1] ...` or `1. ...` of a list.
_DEFINITION = re.compile(
    r"^\s{0,3}(?:[-*]\s+)?\[(\^?[\w.-]{1,40})\]:?\s+(.{1,4000})$", re.MULTILINE
)
_NUMBERED = re.compile(r"^\s{0,3}(\d{1,3})[.)]\s+(.{1,4000})$", re.MULTILINE)
_END = ".,;:!?"


class Address(NamedTuple):
    """An address and its place in the text."""

    start: int
    end: int
    url: str


def find_addresses(text: str, notes: dict[str, str]) -> list[Address]:
    """Return the addresses of a text in order; `notes` maps note marks to addresses."""
    found: list[Address] = []
    for match in _LINK.finditer(text):
        found.append(Address(match.start(), match.end(), match[1]))
    for match in _BARE.finditer(text):
        found.append(Address(match.start(), match.end(), trim_address(match[0])))
    for match in _DOI.finditer(text):
        doi = trim_address(match[1])
        found.append(Address(match.start(), match.end(), f"https://doi.org/{doi}"))
    for match in _PMID.finditer(text):
        url = f"https://pubmed.ncbi.nlm.nih.gov/{match[1]}/"
        found.append(Address(match.start(), match.end(), url))
    for match in _ARXIV.finditer(text):
        found.append(Address(match.start(), match.end(), f"https://arxiv.org/abs/{match[1]}"))
    for match in _NOTE.finditer(text):
        if match[1] in notes:
            found.append(Address(match.start(), match.end(), notes[match[1]]))
    return sorted(found)


def find_notes(text: str) -> dict[str, str]:
    """Return the first address of each note of a draft by its mark."""
    notes: dict[str, str] = {}
    for match in _DEFINITION.finditer(text):
        _add_note(notes, match[1], match[2])
    heading = find_reference_list(text)
    if heading is not None:
        for match in _NUMBERED.finditer(text, heading):
            _add_note(notes, match[1], match[2])
    return notes


def _add_note(notes: dict[str, str], mark: str, told: str) -> None:
    addresses = find_addresses(told, {})
    if addresses:
        notes.setdefault(mark, addresses[0].url)


_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*|\*\*)?(?:\d+[.)]?\s*)?(?:references?|bibliography|works cited|sources"
    r"|literature|literatur(?:verzeichnis)?|quellen|références|bibliographie|referencias"
    r"|bibliografía|referências|riferimenti|литература|参考文献)\s*:?\s*(?:\*\*|#*)?\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def find_reference_list(text: str) -> int | None:
    """Return the place where the entries of the reference list begin."""
    last = None
    for match in _HEADING.finditer(text):
        last = match.end()
    return last


def trim_address(url: str) -> str:
    """Return an address without the punctuation of its sentence."""
    while url and (url[-1] in _END or (url[-1] == ")" and url.count("(") < url.count(")"))):
        url = url[:-1]
    return url
