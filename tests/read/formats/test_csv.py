"""CSV and TSV files."""

from __future__ import annotations

import pytest

from webquarry._read.detect import pick_format
from webquarry._read.format import ConvertedDocument, FetchedDocument
from webquarry._read.formats import csv as csv_module


def read(
    body: str, content_type: str = "text/csv", url: str = "https://site.example/data"
) -> ConvertedDocument:
    source = FetchedDocument(url, body.encode(), content_type)
    chosen = pick_format(source)
    assert chosen.name == "csv"
    return chosen.to_markdown(source)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiter_is_detected(delimiter: str) -> None:
    rows = [["port", "high", "low"], ["Lowick", "6,1; a", "1.2"], ["Strand", "5.8", "0.9"]]
    body = "\n".join(
        delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows
    )

    assert read(body).markdown == (
        "|port|high|low|\n|-|-|-|\n|Lowick|6,1; a|1.2|\n|Strand|5.8|0.9|"
    )


def test_quoted_csv_cells_are_escaped_in_one_cell() -> None:
    draft = read('a,b\n"one, ""two""\r\nthree",x | *y*\n"<|im_start|>",\u200bz\n')

    assert draft.markdown == (
        '|a|b|\n|-|-|\n|one, "two" three|x \\| \\*y\\*|\n|<\\|im_start\\|>|z|'
    )
    assert draft.removed["zero-width character"] == 1


def test_text_without_delimiter_is_returned_unchanged() -> None:
    assert read("just some words\nand some more\n").markdown == "just some words\nand some more"


def test_unclosed_quote_returns_the_text_with_a_note() -> None:
    body = 'a,b\n1,"2\n' + "word,word\n" * 20_000
    draft = read(body)

    assert draft.markdown.count("word,word") == 20_000
    assert draft.notes == ("The table could not be parsed and is shown as it was sent.",)


def test_rows_beyond_the_limit_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "a,b\n" + "".join(f"{number},x\n" for number in range(1000))
    assert read(body).markdown.endswith("|999|x|")

    monkeypatch.setattr(csv_module, "_LONGEST", 100)
    draft = read(body)

    assert draft.markdown.count("\n") < 20
    assert (
        draft.lost
        == draft.notes
        == (f"The table has 1,001 rows; only the first {draft.markdown.count(chr(10))} are shown.",)
    )
