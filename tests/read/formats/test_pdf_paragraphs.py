"""PDF: paragraphs and reading order."""

from __future__ import annotations

import pytest

from tests.read.formats.pdf_reading import LONG, read
from tests.read.formats.pdf_writer import Page, Pdf, wrap
from webquarry._read.documents.pdf_lines import HYPHEN, Joiner


def test_paragraphs_are_separated_by_gaps() -> None:
    def draw(page: Page) -> None:
        y = page.paragraph(72, 700, "First. " + LONG, 450)
        y = page.paragraph(72, y - 8, "Second. " + LONG, 450)
        page.paragraph(72, y - 8, "Third. " + LONG, 450)

    assert read(draw).markdown.split("\n\n") == [
        f"{name}. {LONG}".strip() for name in ("First", "Second", "Third")
    ]


def test_paragraphs_are_separated_by_indents() -> None:
    def draw(page: Page) -> None:
        y = 700.0
        for name in ("First", "Second", "Third", "Fourth"):
            y = page.paragraph(72, y, f"{name}. {LONG}", 450, indent=14)

    assert [block.split(".")[0] for block in read(draw).markdown.split("\n\n")] == [
        "First",
        "Second",
        "Third",
        "Fourth",
    ]


def test_entries_with_hanging_indent_are_not_split() -> None:
    entries = [
        "Ferry, A. (2019). On the settling of mud in small harbours that are open to the west. "
        "Journal of Mud, 7, 12-40.",
        "Lock, B., and Mole, C. (2020). Dredging by night: a handbook for the keeper of a lock, "
        "with tables. Lowick.",
        "Quay, D. (2021). A note on rope, on knots, and on those who tie them, " + LONG.strip(),
        "Short, E. (2022). Brief.",
    ]

    def draw(page: Page) -> None:
        y = 700
        for entry in entries:
            for place, line in enumerate(wrap(entry, 430)):
                page.text(92 if place else 72, y, line)
                y -= 12

    assert read(draw).markdown.split("\n\n") == entries


def test_columns_are_read_in_order() -> None:
    def draw(page: Page) -> None:
        page.paragraph(50, 700, "Left begins. " + LONG + "Left ends.", 220)
        page.paragraph(320, 700, "Right begins. " + LONG + "Right ends.", 220)

    markdown = read(draw).markdown

    assert markdown.index("Left ends.") < markdown.index("Right begins.")
    assert "|" not in markdown


def test_columns_written_line_by_line_are_separated() -> None:
    left = [f"left line {'abcdefgh'[place]} goes on and on here" for place in range(8)]
    right = [f"right line {'abcdefgh'[place]} goes on as well" for place in range(8)]

    def draw(page: Page) -> None:
        for place in range(8):
            page.text(50, 700 - 12 * place, left[place])
            page.text(320, 700 - 12 * place, right[place])

    assert " ".join(read(draw).markdown.split()) == " ".join([*left, *right])


def test_lines_written_bottom_up_are_sorted() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]

    def draw(page: Page) -> None:
        for place in reversed(range(8)):
            page.text(72, 700 - 30 * place, f"Line {words[place]} of the page.")

    assert read(draw).markdown.split("\n\n") == [f"Line {word} of the page." for word in words]


def test_sideways_text_is_read_separately() -> None:
    def draw(page: Page) -> None:
        page.raw("q 0 1 -1 0 40 200 cm BT /F1 10 Tf (Written along the edge) Tj ET Q")
        page.paragraph(72, 700, LONG, 450)

    assert read(draw).markdown.split("\n\n") == ["Written along the edge", LONG.strip()]


@pytest.mark.parametrize("quarter", [90, 180, 270])
def test_rotated_page_is_read_like_an_upright_one(quarter: int) -> None:
    pdf = Pdf()
    page = pdf.add()
    y = page.paragraph(72, 700, "First. " + LONG, 450)
    page.paragraph(72, y - 10, "Second. " + LONG, 450)
    upright = read(pdf=pdf).markdown
    pdf.page_entries = f"/Rotate {quarter}".encode()

    assert read(pdf=pdf).markdown == upright


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["sedi" + HYPHEN, "ment"], "sediment"),
        (["Navier" + HYPHEN, "Stokes"], "Navier-Stokes"),
        (["COVID" + HYPHEN, "19"], "COVID-19"),
        (["a well" + HYPHEN, "known fact"], "a well-known fact"),
        (["tide" + HYPHEN, "bound"], "tide-bound"),
        (["sedi-", "ment"], "sediment"),
        (["1914-", "1918"], "1914- 1918"),
        (["soft\u00ad", "ened"], "softened"),
        (["hyphen\u2010", "ated"], "hyphenated"),
        (["潮の満ち", "引き"], "潮の満ち引き"),
        (["조수", "간만"], "조수 간만"),
        (["see https://tides.example/a/", "b.html"], "see https://tides.example/a/b.html"),
        (["MAX_", "SIZE"], "MAX_SIZE"),
        (["the \ufb01rst \ufb02oor"], "the first floor"),
    ],
)
def test_hyphenated_lines_are_joined(lines: list[str], expected: str) -> None:
    assert Joiner(["a tide-bound ship", *lines]).join(lines) == expected
