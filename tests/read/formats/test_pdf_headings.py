"""PDF: headings by font, title and dates."""

from __future__ import annotations

import pytest

from tests.read.formats.pdf_reading import LONG, read
from tests.read.formats.pdf_writer import BOLD, Page, Pdf, width_of


def test_headings_are_ranked_by_size_then_weight_and_number() -> None:
    def draw(page: Page) -> None:
        page.text(72, 780, "The whole", BOLD, 22)
        y = 740.0
        for title, font, size in (
            ("Part one", BOLD, 15),
            ("1.1 Smaller but bold", BOLD, 10),
            ("1.1.1 Smaller still", BOLD, 10),
            ("Part two", BOLD, 15),
        ):
            page.text(72, y, title, font, size)
            y = page.paragraph(72, y - 24, LONG, 450) - 16

    headings = [line for line in read(draw).markdown.split("\n") if line.startswith("#")]

    assert headings == [
        "# The whole",
        "## Part one",
        "### 1.1 Smaller but bold",
        "#### 1.1.1 Smaller still",
        "## Part two",
    ]


def test_heading_of_two_lines_is_joined() -> None:
    def draw(page: Page) -> None:
        for y, text in ((760, "A title that is far too long for the width of"), (738, "this page")):
            page.text((595 - width_of(text, BOLD, 18)) / 2, y, text, BOLD, 18)
        page.paragraph(72, 700, LONG * 3, 450)

    assert read(draw).markdown.startswith(
        "# A title that is far too long for the width of this page\n\n"
    )


def test_bold_sentence_is_not_a_heading() -> None:
    def draw(page: Page) -> None:
        page.text(72, 740, "Nobody may enter the lock without leave.", BOLD)
        page.paragraph(72, 720, LONG, 450)

    assert "#" not in read(draw).markdown


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("D:20240512083000+02'00'", "2024-05-12T08:30:00+02:00"),
        ("D:20240512083000Z", "2024-05-12T08:30:00Z"),
        ("D:20240512083000", "2024-05-12T08:30:00"),
        ("20240512", "2024-05-12"),
        ("D:2024", "2024"),
        ("2024-05-12T08:30:00Z", "2024-05-12T08:30:00Z"),
        ("D:20241399", None),
        ("D:0000", None),
        ("last Tuesday", None),
        ("", None),
    ],
)
def test_pdf_dates_preserve_their_precision(written: str, expected: str | None) -> None:
    pdf = Pdf(info={"CreationDate": written})
    pdf.add().text(72, 700, "Dated.")
    published = read(pdf=pdf).published

    assert (published.value if published else None) == expected


@pytest.mark.parametrize(
    "made_up", ["Microsoft Word - draft.docx", "untitled", "report_final.pdf", "", "Document1"]
)
def test_generated_title_is_replaced_by_the_first_heading(made_up: str) -> None:
    pdf = Pdf(info={"Title": made_up})
    page = pdf.add()
    page.text(72, 760, "On the page", BOLD, 20)
    page.paragraph(72, 700, LONG, 450)

    assert read(pdf=pdf).title == "On the page"
