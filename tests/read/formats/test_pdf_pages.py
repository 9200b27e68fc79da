"""PDF: page marks, running heads and scanned pages."""

from __future__ import annotations

import pytest

from tests.read.formats.pdf_reading import LONG, pages_with, read
from tests.read.formats.pdf_writer import Pdf, stream
from webquarry._read.documents import pdf as convert_module


def test_paragraph_continues_across_pages_before_the_page_mark() -> None:
    pdf = Pdf()
    pdf.add().paragraph(72, 120, LONG + "It goes on over the", 450)
    page = pdf.add()
    y = page.paragraph(72, 700, "page without a break. " + LONG, 450)
    page.paragraph(72, y - 10, "Then another one begins. " + LONG, 450)

    first, mark, second = read(pdf=pdf).markdown.split("\n\n")

    assert "It goes on over the page without a break." in first
    assert mark == "[page 2]"
    assert second.startswith("Then another one begins.")


def test_a_page_mark_cannot_be_forged() -> None:
    markdown = read(lambda page: page.text(72, 700, "[page 7]")).markdown

    assert markdown == r"\[page 7\]"


def test_text_before_the_first_mark_is_on_page_one() -> None:
    pdf = Pdf()
    pdf.add()
    pdf.add().text(72, 700, "Only the second page says something.")

    assert read(pdf=pdf).markdown == "[page 2]\n\nOnly the second page says something."


@pytest.mark.parametrize(
    ("heads", "feet"),
    [
        (["Journal of Mud"] * 4, ["1", "2", "3", "4"]),
        (["Left head", "Right head"] * 2, ["- 1 -", "- 2 -", "- 3 -", "- 4 -"]),
        (["", "Mud 17", "Mud 17", "Mud 17"], ["i", "ii", "iii", "iv"]),
        (
            ["Chapter one 12", "Chapter two 13", "Chapter three 14", "Chapter four 15"],
            ["(c) 2024"] * 4,
        ),
        (["Mud", "Mud"], ["Page 1 of 2", "Page 2 of 2"]),
    ],
)
def test_running_heads_and_page_numbers_are_dropped(heads: list[str], feet: list[str]) -> None:
    markdown = read(pdf=pages_with(heads, feet)).markdown

    assert markdown.count("says this.") == len(heads)
    assert not any(text in markdown for text in [*heads, *feet] if len(text) > 2)


def test_line_at_the_top_of_one_page_is_returned() -> None:
    markdown = read(
        pdf=pages_with(["An unusual remark", "Mud", "Mud", "Mud"], ["", "", "", ""])
    ).markdown

    assert markdown.startswith("An unusual remark")


def test_a_scanned_page_with_a_text_layer_is_read() -> None:
    pdf = Pdf(resources=b"/XObject << /Scan 100 0 R >>")
    page = pdf.add()
    page.raw("q 500 0 0 700 40 60 cm /Scan Do Q")
    page.text(72, 700, "Read by a machine.", before="3 Tr")
    pdf.objects.append(
        stream(
            b"\x20",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
            b"/BitsPerComponent 8",
        )
    )

    assert read(pdf=pdf).markdown == "Read by a machine."


def test_scanned_pages_among_others_are_reported() -> None:
    pdf = Pdf(resources=b"/XObject << /Scan 100 0 R >>")
    pdf.add().text(72, 700, "A page of text.")
    pdf.add().raw("q 500 0 0 700 40 60 cm /Scan Do Q")
    pdf.objects.append(
        stream(
            b"\x20",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
            b"/BitsPerComponent 8",
        )
    )
    document = read(pdf=pdf)

    assert (
        document.notes
        == document.lost
        == ("Pages that are pictures without a text layer, and need OCR: 1 of 2.",)
    )


def test_pages_beyond_the_limit_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert_module, "_MOST_PAGES", 2)
    document = read(pdf=pages_with(["", "", ""], ["", "", ""]))

    assert "[page 2]" in document.markdown
    assert "[page 3]" not in document.markdown
    assert document.lost == ("The PDF has 3 pages; only the first 2 were read.",)


def test_text_beyond_the_limit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert_module, "LONGEST_TEXT", 700)
    document = read(pdf=pages_with(["", "", ""], ["", "", ""]))

    assert document.lost == ("The PDF has more text than is read at once; it ends before page 3.",)
