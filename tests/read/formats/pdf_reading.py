"""Helpers of PDF tests: draw pages and read them."""

from __future__ import annotations

from collections.abc import Callable

from tests.read.formats.pdf_writer import HEIGHT, Page, Pdf
from webquarry._read.documents.pdf import convert
from webquarry._read.format import ConvertedDocument

LONG = (
    "The harbour office keeps a log of every vessel that enters, and of the weather at that hour. "
    * 3
)


def read(draw: Callable[[Page], None] | None = None, pdf: Pdf | None = None) -> ConvertedDocument:
    pdf = pdf or Pdf()
    if draw:
        draw(pdf.add())
    return convert(pdf.data(), "")


def pages_with(heads: list[str], feet: list[str]) -> Pdf:
    pdf = Pdf()
    for number, (head, foot) in enumerate(zip(heads, feet, strict=True)):
        page = pdf.add()
        if head:
            page.text(72, HEIGHT - 30, head, size=9)
        page.paragraph(72, 700, f"Page {'abcdefgh'[number]} says this. {LONG}", 450)
        page.text(290, 30, foot, size=9)
    return pdf
