"""CSV and TSV: a pipe table. The delimiter is found out; short rows are filled up, and nothing is
cut without a word.

A text in which no delimiter makes columns is shown as it is. The first row is the head, as files of
this kind have it.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlsplit

from webquarry.read.documents.prose import line
from webquarry.read.format import ConvertedDocument, FetchedDocument, Format
from webquarry.read.formats.text import normalise_newlines
from webquarry.read.text.characters import INVISIBLE, clean
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.text.escape import escape_cell

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 60
_SAMPLE = 200_000  # characters
_LONGEST = 10_000_000  # characters of Markdown
_SPARE_CELLS = 1_000  # empty cells that any table may get
_HINT = re.compile(r'"?sep=([,;|\t])"?\r?\n', re.IGNORECASE)
_SPECIAL = re.compile(r"[\\`*_\[\]<&~|\x00-\x1f\x7f\u2028\u2029]| {2}")
Rows = Iterator[list[str]]


class Csv(Format):
    name = "csv"
    media_types = (
        "text/csv",
        "application/csv",
        "text/x-csv",
        "text/comma-separated-values",
        "text/tab-separated-values",
    )
    suffixes = (".csv", ".tsv", ".tab")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text = source.text.text.removeprefix("\ufeff")
        hint = _HINT.match(text)
        text = text[hint.end() :] if hint else text
        tabbed = source.media_type == "text/tab-separated-values" or urlsplit(
            source.url
        ).path.lower().endswith(".tsv")
        removed: Counter[str] = Counter()
        try:
            delimiter = (
                hint[1] if hint else "\t" if tabbed and "\t" in text[:_SAMPLE] else _delimiter(text)
            )
            if delimiter is not None:
                table, lost = _table(text, delimiter, removed)
                return ConvertedDocument(
                    table,
                    encoding=source.text.encoding,
                    removed=dict(removed),
                    notes=lost,
                    lost=lost,
                )
            notes: tuple[str, ...] = ()
        except csv.Error:
            notes = ("The rows of the table could not be told apart; it is shown as it was sent.",)
        cleaned = clean(normalise_newlines(text))
        return ConvertedDocument(
            cleaned.text, encoding=source.text.encoding, removed=cleaned.removed, notes=notes
        )


def _rows(text: str, delimiter: str) -> Rows:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    return (row for row in reader if any(cell.strip() for cell in row))


def _delimiter(text: str) -> str | None:
    """The delimiter that gives most rows the same number of cells; None when fewer than half of
    them are delimited.
    """
    best: tuple[float, float, int] = (0, 0, 0)
    found: str | None = None
    trouble: csv.Error | None = None
    for delimiter in _DELIMITERS:
        try:
            widths = Counter(map(len, islice(_rows(text[:_SAMPLE], delimiter), _SAMPLE_ROWS)))
        except csv.Error as error:
            trouble = error
            continue
        several = {width: count for width, count in widths.items() if width > 1}
        delimited = sum(several.values())
        if several and 2 * delimited >= widths.total():
            width, count = max(several.items(), key=lambda entry: (entry[1], entry[0]))
            score = (round(count / delimited, 1), delimited / widths.total(), width)
            if score > best:
                best, found = score, delimiter
    if found is None and trouble is not None:
        raise trouble
    return found


def _table(text: str, delimiter: str, removed: Counter[str]) -> tuple[str, tuple[str, ...]]:
    """The pipe table, and what to say if it is not all of it."""
    count = width = 0
    for row in _rows(text, delimiter):
        count, width = count + 1, max(width, len(row))
    lines: list[str] = []
    left, spare = _LONGEST, _SPARE_CELLS
    for row in _rows(text, delimiter):
        missing, due = width - len(row), 2 * len(row)
        if missing and (
            not lines or missing <= spare + due
        ):  # one long row must not make all the others as long
            row += [""] * missing
            spare -= max(0, missing - due) if lines else 0
        lines.append(_line(row, removed))
        if len(lines) == 1:
            lines.append("|" + " --- |" * width)
        left -= len(lines[-1])
        if left < 0:
            break
    shown = len(lines) - 1
    lost = (
        (f"The table has {count:,} rows; only the first {shown:,} are shown.",)
        if shown < count
        else ()
    )
    return defuse_prose("\n".join(lines), removed), lost


def _line(row: list[str], removed: Counter[str]) -> str:
    """One row; most of them hold nothing that needs care."""
    if not _is_plain(" ".join(row)):
        row = [
            cell.strip() if _is_plain(cell) else escape_cell(line(cell, removed)) for cell in row
        ]
    return f"| {' | '.join(row)} |"


def _is_plain(text: str) -> bool:
    return _SPECIAL.search(text) is None and (text.isascii() or INVISIBLE.search(text) is None)
