"""CSV and TSV as a table. The delimiter is detected, and the first row is the header.

Short rows are filled up. Text in which no delimiter makes columns is shown as it is.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlsplit

from webquarry._read.documents.text import build_table
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import show_text

_TABS = "text/tab-separated-values"
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 60
_SAMPLE = 200_000  # characters
_LONGEST = 10_000_000  # characters of Markdown


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
        is_tsv = source.media_type == _TABS or urlsplit(source.url).path.lower().endswith(".tsv")
        notes: tuple[str, ...] = ()
        try:
            has_tabs = is_tsv and "\t" in text[:_SAMPLE]
            delimiter = "\t" if has_tabs else _find_delimiter(text)
            if delimiter is not None:
                return _convert_table(text, delimiter, source.text.encoding)
        except csv.Error:
            notes = ("The table could not be parsed and is shown as it was sent.",)
        return show_text(source, text, notes=notes)


def _read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows that are not blank."""
    lines = io.StringIO(text, newline="")
    for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in row):
            yield row


def _find_delimiter(text: str) -> str | None:
    """Return the delimiter that gives most rows the same width; None if fewer than half of the
    rows are delimited.

    A delimiter with which the rows cannot be read is skipped, unless all are like that.
    """
    best_score: tuple[float, float, int] = (0, 0, 0)
    best: str | None = None
    last_error: csv.Error | None = None
    for delimiter in _DELIMITERS:
        try:
            rows = islice(_read_rows(text[:_SAMPLE], delimiter), _SAMPLE_ROWS)
            widths = Counter(map(len, rows))
        except csv.Error as error:
            last_error = error
            continue
        total = widths.total()
        delimited = total - widths[1]
        if not delimited or 2 * delimited < total:
            continue
        count, width = max((count, width) for width, count in widths.items() if width > 1)
        score = (round(count / delimited, 1), delimited / total, width)
        if score > best_score:
            best_score, best = score, delimiter
    if best is None and last_error is not None:
        raise last_error
    return best


def _convert_table(text: str, delimiter: str, encoding: str) -> ConvertedDocument:
    """Return the table, with a note if rows are missing."""
    removed: Counter[str] = Counter()
    rows: list[list[str]] = []
    room = _LONGEST
    count = 0
    for count, row in enumerate(_read_rows(text, delimiter)):
        room -= sum(map(len, row)) + 2 * len(row)
        if room >= 0 or not count:
            rows.append(row)
    lost: tuple[str, ...] = ()
    if len(rows) <= count:
        lost = (f"The table has {count + 1:,} rows; only the first {len(rows):,} are shown.",)
    table = build_table(rows, removed)
    return ConvertedDocument(
        [table] if table else [],
        encoding=encoding,
        removed=removed,
        notes=lost,
        lost=lost,
    )
