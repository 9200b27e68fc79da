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

from webquarry.read.documents.text import escape_line
from webquarry.read.format import ConvertedDocument, FetchedDocument, Format
from webquarry.read.formats.text import normalise_newlines
from webquarry.read.markdown.tables import format_row, format_rule
from webquarry.read.text.characters import INVISIBLE, clean
from webquarry.read.text.delimiters import defuse_prose

_TABS = "text/tab-separated-values"
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 60
_SAMPLE = 200_000  # characters
_LONGEST = 10_000_000  # characters of Markdown
_SPARE_CELLS = 1_000  # empty cells that any table may get
_HINT = re.compile(r'"?sep=([,;|\t])"?\r?\n', re.IGNORECASE)
_SPECIAL = re.compile(r"[\\`*_\[\]<&~|\x00-\x1f\x7f\u2028\u2029]| {2}")


class Csv(Format):
    name = "csv"
    media_types = (
        "text/csv",
        "application/csv",
        "text/x-csv",
        "text/comma-separated-values",
        _TABS,
    )
    suffixes = (".csv", ".tsv", ".tab")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text = source.text.text.removeprefix("\ufeff")
        hint = _HINT.match(text)
        if hint:
            text = text[hint.end() :]
        path = urlsplit(source.url).path.lower()
        is_tab_separated = source.media_type == _TABS or path.endswith(".tsv")
        notes: tuple[str, ...] = ()
        try:
            if hint:
                delimiter: str | None = hint[1]
            elif is_tab_separated and "\t" in text[:_SAMPLE]:
                delimiter = "\t"
            else:
                delimiter = _find_delimiter(text)
            if delimiter is not None:
                return _convert_table(text, delimiter, source.text.encoding)
        except csv.Error:
            notes = ("The rows of the table could not be told apart; it is shown as it was sent.",)
        cleaned = clean(normalise_newlines(text))
        return ConvertedDocument(
            cleaned.text,
            encoding=source.text.encoding,
            removed=cleaned.removed,
            notes=notes,
        )


def _read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows that are not blank, one after the other."""
    lines = io.StringIO(text, newline="")
    for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in row):
            yield row


def _find_delimiter(text: str) -> str | None:
    """The delimiter that gives most rows the same number of cells; None when fewer than half of
    them are delimited.

    A delimiter with which the rows cannot be read is passed over, unless all are like that.
    """
    sample = text[:_SAMPLE]
    best_score: tuple[float, float, int] = (0, 0, 0)
    best: str | None = None
    last_error: csv.Error | None = None
    for delimiter in _DELIMITERS:
        try:
            rows = islice(_read_rows(sample, delimiter), _SAMPLE_ROWS)
            widths = Counter(map(len, rows))
        except csv.Error as error:
            last_error = error
            continue
        total = widths.total()
        delimited = total - widths[1]
        if not delimited or 2 * delimited < total:
            continue
        # The commonest width of more than one cell, the larger of two that are as common.
        count, width = max((count, width) for width, count in widths.items() if width > 1)
        score = (round(count / delimited, 1), delimited / total, width)
        if score > best_score:
            best_score = score
            best = delimiter
    if best is None and last_error is not None:
        raise last_error
    return best


def _convert_table(text: str, delimiter: str, encoding: str) -> ConvertedDocument:
    """The pipe table, with a note if it is not all of it."""
    row_count = width = 0
    for row in _read_rows(text, delimiter):
        row_count += 1
        width = max(width, len(row))

    removed: Counter[str] = Counter()
    lines: list[str] = []
    room = _LONGEST
    spare_cells = _SPARE_CELLS
    for row in _read_rows(text, delimiter):
        missing = width - len(row)
        due = 2 * len(row)
        if not lines:
            row += [""] * missing
        elif missing and missing <= spare_cells + due:
            # within bounds: one long row must not make all the others as long
            row += [""] * missing
            spare_cells -= max(0, missing - due)
        lines.append(_write_row(row, removed))
        if len(lines) == 1:
            lines.append(format_rule(width))
        room -= len(lines[-1])
        if room < 0:
            break

    lost: tuple[str, ...] = ()
    shown = len(lines) - 1
    if shown < row_count:
        lost = (f"The table has {row_count:,} rows; only the first {shown:,} are shown.",)
    markdown = defuse_prose("\n".join(lines), removed)
    return ConvertedDocument(
        markdown,
        encoding=encoding,
        removed=dict(removed),
        notes=lost,
        lost=lost,
    )


def _write_row(row: list[str], removed: Counter[str]) -> str:
    """One row of Markdown; most of them hold nothing that needs care."""
    if _is_plain(" ".join(row)):
        return format_row(map(str.strip, row))
    cells: list[str] = []
    for cell in row:
        if _is_plain(cell):
            cells.append(cell.strip())
        else:
            cells.append(escape_line(cell, removed))
    return format_row(cells)


def _is_plain(text: str) -> bool:
    """Whether a text is the same in Markdown."""
    if _SPECIAL.search(text):
        return False
    return text.isascii() or INVISIBLE.search(text) is None
