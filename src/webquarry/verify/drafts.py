"""Quotes, numbers and references of a draft, each with its line and its source.

Markdown, plain text, HTML and DOCX are read by paragraph; code is skipped. BibTeX, RIS and CSL-JSON
files are one reference list. A quote belongs to the address after it in its sentence, or else
before it; a block quote to the one in its last line or in the next line. A number counts only in a
sentence that cites a source. A DOI, arXiv id or PMID in running text is a reference too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, zip_longest
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from webquarry._read.encoding.decode import decode
from webquarry._read.format import FetchedDocument
from webquarry.verify.quotes.match import is_too_short
from webquarry.verify.quotes.numbers import NumberMention, list_numbers, uses_decimal_comma
from webquarry.verify.references.read import find_identifiers, trim_url


@dataclass(frozen=True)
class DraftQuote:
    """A quotation and the address of its source."""

    text: str
    line: int
    source: str | None = None


@dataclass(frozen=True)
class DraftNumber:
    """A number in a sentence that cites a source."""

    mention: NumberMention
    line: int
    source: str


@dataclass(frozen=True)
class DraftReference:
    """A reference: an entry of a list or a note, or a whole file of them."""

    text: str
    line: int


@dataclass(frozen=True)
class DraftClaims:
    """The claims of a draft that can be checked."""

    quotes: tuple[DraftQuote, ...] = ()
    numbers: tuple[DraftNumber, ...] = ()
    references: tuple[DraftReference, ...] = ()
    short_quotes: int = 0  # words in quotation marks that are too few to be looked for


_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_QUOTED = re.compile(r"\s{0,3}>\s?")
_ALERT = re.compile(r"\s*\[!\w+\]\s*$")
_ATTRIBUTION = re.compile(r"\s*(?:[—–―]|--|-\s|\(?(?:Source|Quelle|Fuente)\s?:)\s*\S")
_NOTE_TEXT = re.compile(r"^\s{0,3}\[\^[^\]\s]{1,40}\]:\s+(.+)$")
_CODE = re.compile(r"`[^`\n]+`")
_MARKUP = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|\\(?=[!-/:-@\[-`{-~])")
_LINKED = re.compile(r"\[([^\[\]\n]{0,500})\]\((?:[^()\s]|\([^()\s]*\)){0,2000}\)")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]")
_SENTENCE_END = re.compile(r"[.!?。！？][\"”’»)\]]*(?=\s|$|\[)(?:\s?\[\^?[\w.-]{1,40}\])*(?!\()")
_NEW_ENTRY = re.compile(r"\s{0,3}(?:[-*+]\s|\[?\^?\d{1,3}[\].)])")
_ENTRY_MARK = re.compile(r"\s{0,3}(?:(?:[-*+]|\[?\d{1,3}[\].)])\s+)?(?=\S)")
_LABEL = re.compile(
    r"(?:table|figure|fig\.|section|sec\.|chapter|page|pp?\.|vol\.|volume|no\.|number|version|v"
    r"|step|appendix|tabelle|abbildung|kapitel|seite|nr\.|§|art\.|article)\s?$",
    re.IGNORECASE,
)
_SOURCE_BEHIND = re.compile(r"[\"”’»]?\s*[(\[]")
_YEARS = range(1500, 2101)
_MIN_WORDS = 3
_MAX_REFERENCES = 500


@dataclass
class _Block:
    """Lines that belong together."""

    start: int  # line number, from 1
    lines: list[str]
    is_quote: bool = False

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    def line_at(self, place: int) -> int:
        """The number of the line that a place of the text is in."""
        return self.start + bisect_right(self._line_starts, place) - 1

    @cached_property
    def _line_starts(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.lines]
        return [0, *accumulate(lengths)]


def find_claims(draft: str) -> DraftClaims:
    """Return all claims of a draft."""
    notes = find_notes(draft)
    quotes: list[DraftQuote] = []
    numbers: list[DraftNumber] = []
    short = 0
    decimal_comma = uses_decimal_comma(draft)
    list_start = find_reference_list(draft)
    last_line = draft.count("\n") + 1
    if list_start is not None:
        last_line = draft.count("\n", 0, list_start) + 1
    blocks = list(_split_blocks(draft))
    named: list[DraftReference] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        if block.start > last_line or _NOTE_TEXT.match(block.lines[0]):
            continue
        text = _CODE.sub(lambda code: " " * len(code[0]), block.text)
        addresses = find_addresses(text, notes)
        for address in addresses:
            named.append(DraftReference(address.url, block.line_at(address.start)))
        if block.is_quote:
            quotes.extend(_read_block_quote(block, following, notes))
            continue
        sentences = _DraftSentences(text, addresses)
        ranges = find_quotations(text)
        for start, end in ranges:
            words = clean_quote(text[start:end])
            if is_too_short(words) or (words.isascii() and len(words.split()) < _MIN_WORDS):
                short += 1
                continue
            line = block.line_at(start)
            quotes.append(DraftQuote(words, line, sentences.find_source(start, end)))
        numbers.extend(_find_numbers(block, text, addresses, ranges, decimal_comma))
    references = _find_references(draft, list_start)
    references.extend(_list_unlisted_works(named, references))
    return DraftClaims(tuple(quotes), tuple(numbers), tuple(references), short)


def clean_quote(text: str) -> str:
    """Return the words of a quotation without Markdown and note marks."""
    text = _LINKED.sub(r"\1", text)
    text = _NOTE_MARK.sub("", text)
    return _MARKUP.sub("", text).strip()


def _split_blocks(draft: str) -> Iterator[_Block]:
    """Yield paragraphs and block quotes, without code."""
    fence = ""
    block: _Block | None = None
    for number, line in enumerate(draft.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            continue
        if mark:
            fence = mark[1]
        quoted = _QUOTED.match(line)
        is_end = bool(mark) or (not line.strip())
        if block is not None and (is_end or block.is_quote != bool(quoted)):
            yield block
            block = None
        if is_end:
            continue
        if block is None:
            block = _Block(number, [], bool(quoted))
        block.lines.append(line[quoted.end() :] if quoted else line)
    if block is not None:
        yield block


def _read_block_quote(
    block: _Block, following: _Block | None, notes: Mapping[str, str]
) -> Iterator[DraftQuote]:
    """Yield a block quote; its last line or the next line may name its source."""
    lines = list(block.lines)
    if _ALERT.match(lines[0]):
        return
    source = ""
    next_line = following.lines[0] if following is not None else ""
    if len(lines) > 1 and _ATTRIBUTION.match(lines[-1]):
        source = lines.pop()
    elif _ATTRIBUTION.match(next_line) or (following is not None and len(following.lines) == 1):
        source = next_line
    text = "\n".join(lines)
    addresses = find_addresses(source, notes) or find_addresses(text, notes)
    words = clean_quote(re.sub(r"\s?\((?:https?://[^)\s]+)\)\s*$", "", text))
    if not is_too_short(words):
        yield DraftQuote(words, block.start, addresses[0].url if addresses else None)


class _DraftSentences:
    """The sentences of a block, and the addresses in them."""

    def __init__(self, text: str, addresses: list[Address]) -> None:
        self._text = text
        self._addresses = addresses
        self._starts = [one.start for one in addresses]
        self._ends = [found.end() for found in _SENTENCE_END.finditer(text)]

    def find_source(self, start: int, end: int) -> str | None:
        """Return the address for a range: after it in its sentence, or else before it."""
        first, last = self._surround(start, end)
        behind = bisect_left(self._starts, max(first, end))
        if behind < len(self._addresses) and self._starts[behind] < last:
            return self._addresses[behind].url
        before = bisect_left(self._starts, end) - 1
        if before >= 0 and self._starts[before] >= first:
            return self._addresses[before].url
        return None

    def _surround(self, start: int, end: int) -> Range:
        """Return the sentence of a range with the note marks after it."""
        before = bisect_right(self._ends, start)
        first = self._ends[before - 1] if before else 0
        number = bisect_right(self._ends, max(start, end - 1))
        # The full stop of a quotation ends no sentence where a bracket with its source follows.
        is_own = number < len(self._ends) and self._ends[number] <= end + 1
        if is_own and _SOURCE_BEHIND.match(self._text[end : end + 4]):
            number += 1
        if number < len(self._ends):
            return first, self._ends[number]
        return first, len(self._text)


def _find_numbers(
    block: _Block,
    text: str,
    addresses: list[Address],
    ranges: list[Range],
    decimal_comma: bool,
) -> Iterator[DraftNumber]:
    """Yield the numbers of sentences that cite a source, outside quotations and addresses."""
    if not addresses:
        return
    sentences = _DraftSentences(text, addresses)
    letters = list(text)
    for start, end in [*ranges, *((one.start, one.end) for one in addresses)]:
        letters[start:end] = " " * (end - start)
    for mention in list_numbers("".join(letters), decimal_comma=decimal_comma):
        if not _is_claim(mention, text):
            continue
        source = sentences.find_source(mention.start, mention.end)
        if source is not None:
            yield DraftNumber(mention, block.line_at(mention.start), source)


def _is_claim(mention: NumberMention, text: str) -> bool:
    """Return whether a number is an amount, not a year, a label or part of a name."""
    before = text[max(0, mention.start - 12) : mention.start]
    behind = text[mention.end : mention.end + 2]
    is_line_start = not before.rpartition("\n")[2].strip()
    if is_line_start and behind[:1] in (".", ")"):
        return False
    if _LABEL.search(before) or before.endswith(("[", "[^", "#", "-", "/")):
        return False
    if behind[:1].isalpha() or (behind[:1] in "-/" and behind[1:].isalnum()):
        return False
    is_bare = mention.unit is None and mention.scale == 1
    return not (is_bare and mention.text.isdigit() and int(mention.text) in _YEARS)


def _find_references(draft: str, list_start: int | None) -> list[DraftReference]:
    """Return the entries of the reference list, and the notes."""
    found: list[DraftReference] = []
    lines = draft.split("\n")
    first = len(lines) + 1 if list_start is None else draft.count("\n", 0, list_start) + 2
    entry: list[str] = []
    start = 0
    for number, line in enumerate([*lines, ""], 1):
        note = _NOTE_TEXT.match(line)
        if number < first:
            if note:
                found.append(DraftReference(note[1].strip(), number))
            continue
        is_heading = line.startswith("#")
        if entry and (_NEW_ENTRY.match(line) or not line.strip() or is_heading):
            found.append(DraftReference(" ".join(entry), start))
            entry = []
        if is_heading:
            break
        if line.strip():
            start = start if entry else number
            entry.append(note[1].strip() if note else _ENTRY_MARK.sub("", line, count=1).strip())
    return found[:_MAX_REFERENCES]


def _list_unlisted_works(
    named: list[DraftReference], listed: list[DraftReference]
) -> list[DraftReference]:
    """Return the works named by identifier in running text that are not in the list."""
    known = {_find_work_number(one.text) for one in listed}
    found = []
    for one in named:
        number = _find_work_number(one.text)
        if number and number not in known:
            known.add(number)
            found.append(one)
    return found[: _MAX_REFERENCES - len(listed)]


def _find_work_number(text: str) -> str:
    """Return the identifier of a work, also from the URL of a publisher."""
    found = find_identifiers(text)
    return found.arxiv_id or found.doi or found.pmid


_REFERENCES = frozenset({".bib", ".bibtex", ".ris", ".json"})
_HTML = frozenset({".html", ".htm", ".xhtml"})
_SEARCHED = 24  # characters by which a claim is found again in the file

T = TypeVar("T", DraftQuote, DraftNumber, DraftReference)


def read_claims(name: str, body: bytes) -> DraftClaims:
    """Return the claims of a file; its format is that of the suffix."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _REFERENCES:
        return DraftClaims(references=(DraftReference(decode(body, "").text, 1),))
    if suffix == ".docx":
        from webquarry._read.formats.documents import read_document

        return find_claims(read_document("docx", name, body).markdown)
    text = decode(body, "").text.replace("\r\n", "\n").replace("\r", "\n")
    if suffix not in _HTML:
        return find_claims(text)
    from webquarry._read.formats.html import Html

    source = FetchedDocument("https://localhost/", body, "text/html")
    return _find_lines(find_claims(Html().to_markdown(source).markdown), text)


def _find_lines(claims: DraftClaims, text: str) -> DraftClaims:
    """Return the claims of a page with the lines of its HTML file, if found there."""
    return replace(
        claims,
        quotes=tuple(_find_line(one, one.text, text) for one in claims.quotes),
        numbers=tuple(_find_line(one, one.mention.text, text) for one in claims.numbers),
        references=tuple(_find_line(one, one.text, text) for one in claims.references),
    )


def _find_line(claim: T, words: str, text: str) -> T:
    place = text.find(words[:_SEARCHED])
    line = 1
    if place >= 0:
        line = text.count("\n", 0, place) + 1
    return replace(claim, line=line)


Range = tuple[int, int]

# Opening marks and what may close them. German closes with what English opens.
_CLOSING = {
    "“": "”“", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "《": "》", "‟": "”",
    "＂": "＂", "‹": "›", "‘": "’",
}  # fmt: skip
_STRAIGHT = '"'
_SINGLE, _SINGLE_END = "‘", "’"
_MARK = re.compile('[“”„«»「」『』《》‟＂‹›"‘’]')
_MAX_QUOTATION = 5_000


def find_quotations(text: str) -> list[Range]:
    """Return the ranges between the outermost pairs of quotation marks."""
    ranges: list[Range] = []
    start, depth = -1, 0
    opening = closing = ""
    for found in _MARK.finditer(text):
        mark, place = found[0], found.start()
        if start < 0 or place - start > _MAX_QUOTATION:
            closing = _find_closing(text, mark, place)
            start, depth, opening = (found.end() if closing else -1), 0, mark
        elif mark in closing and not _is_apostrophe(text, mark, place):
            if not depth:
                ranges.append((start, place))
                start = -1
            depth -= 1
        elif mark == opening and mark != _STRAIGHT:
            depth += 1
    return ranges


def _find_closing(text: str, mark: str, place: int) -> str:
    """Return the marks that close the pair of an opening mark, or an empty string."""
    before = text[max(0, place - 1) : place]
    behind = text[place + 1 : place + 2]
    if not behind or (behind.isspace() and mark != "«"):  # French sets a blank
        return ""
    if mark == _STRAIGHT:
        is_inside = before.isalnum() or before in tuple(".,;:!?)")
        return "" if is_inside else _STRAIGHT
    if mark in (_SINGLE, "»") and before.isalnum():
        return ""
    return _CLOSING.get(mark, "")


def _is_apostrophe(text: str, mark: str, place: int) -> bool:
    """Return whether a closing mark is within a word or opens the next one."""
    before = text[max(0, place - 1) : place]
    if mark not in (_SINGLE_END, _STRAIGHT) or not text[place + 1 : place + 2].isalnum():
        return False
    return before.isalnum() if mark == _SINGLE_END else before.isspace()


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
# Definitions of notes: `[^1]: ...`, `[1]: https://...`, entries `[1] ...` or `1. ...` of a list.
_DEFINITION = re.compile(
    r"^\s{0,3}(?:[-*]\s+)?\[(\^?[\w.-]{1,40})\]:?\s+(.{1,4000})$", re.MULTILINE
)
_NUMBERED = re.compile(r"^\s{0,3}(\d{1,3})[.)]\s+(.{1,4000})$", re.MULTILINE)


class Address(NamedTuple):
    """An address and its place in the text."""

    start: int
    end: int
    url: str


def find_addresses(text: str, notes: Mapping[str, str]) -> list[Address]:
    """Return the addresses of a text in order; `notes` maps note marks to addresses."""
    found = [Address(*match.span(), match[1]) for match in _LINK.finditer(text)]
    found += [Address(*match.span(), trim_url(match[0])) for match in _BARE.finditer(text)]
    for pattern, prefix, suffix in (
        (_DOI, "https://doi.org/", ""),
        (_PMID, "https://pubmed.ncbi.nlm.nih.gov/", "/"),
        (_ARXIV, "https://arxiv.org/abs/", ""),
    ):
        for match in pattern.finditer(text):
            found.append(Address(*match.span(), f"{prefix}{trim_url(match[1])}{suffix}"))
    for match in _NOTE.finditer(text):
        if match[1] in notes:
            found.append(Address(*match.span(), notes[match[1]]))
    return sorted(found)


def find_notes(text: str) -> dict[str, str]:
    """Return the first address of each note of a draft by its mark."""
    notes: dict[str, str] = {}
    matches = list(_DEFINITION.finditer(text))
    heading = find_reference_list(text)
    if heading is not None:
        matches += _NUMBERED.finditer(text, heading)
    for match in matches:
        addresses = find_addresses(match[2], {})
        if addresses:
            notes.setdefault(match[1], addresses[0].url)
    return notes


_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*|\*\*)?(?:\d+[.)]?\s*)?(?:references?|bibliography|works cited|sources"
    r"|literature|literatur(?:verzeichnis)?|quellen|références|bibliographie|referencias"
    r"|bibliografía|referências|riferimenti|литература|参考文献)\s*:?\s*(?:\*\*|#*)?\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def find_reference_list(text: str) -> int | None:
    """Return the place where the entries of the reference list start."""
    ends = [match.end() for match in _HEADING.finditer(text)]
    return ends[-1] if ends else None
