"""PowerPoint presentations."""

from __future__ import annotations

import pytest

from tests.read.formats.office_writer import pptx, shape, slide, slide_paragraph
from webquarry._read.documents import pptx as convert_module
from webquarry._read.documents.pptx import convert
from webquarry._read.documents.text import Refusal
from webquarry._read.format import ConvertedDocument

TITLE, BODY = 'type="title"', 'idx="1"'
WIDE, TALL = 'gridSpan="2"', 'rowSpan="2"'


def read(*slides: str, order: str = "", parts: dict[str, str] | None = None) -> ConvertedDocument:
    return convert(pptx(list(slides), parts=parts, order=order), "https://site.example/deck.pptx")


def test_slides_are_in_presentation_order_with_numbers() -> None:
    slides = [slide(shape(f"slide {name}")) for name in ("one", "two", "three")]

    assert (
        read(*slides, order="312").markdown
        == "slide three\n\n[slide 2]\n\nslide one\n\n[slide 3]\n\nslide two"
    )


def test_a_slide_mark_cannot_be_forged() -> None:
    assert read(slide(shape("[slide 9]"))).markdown == r"\[slide 9\]"


def test_title_is_first_then_shapes_from_top_to_bottom() -> None:
    one = slide(
        shape("last", place=(800, 0)),
        shape("second", place=(400, 0)),
        shape("third", place=(400, 500)),
        shape("The title", placeholder=TITLE, place=(900, 0)),
    )

    assert read(one).markdown == "## The title\n\nsecond\n\nthird\n\nlast"


def test_levels_bullets_and_numbers() -> None:
    numbered = "<a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr>"
    one = slide(
        shape(
            "first",
            slide_paragraph("deeper", '<a:pPr lvl="1"/>'),
            slide_paragraph("deepest", '<a:pPr lvl="2"/>'),
            "second",
            slide_paragraph("no bullet", "<a:pPr><a:buNone/></a:pPr>"),
            placeholder=BODY,
        ),
        shape(slide_paragraph("eins", numbered), slide_paragraph("zwei", numbered), "plain"),
    )

    assert read(one).markdown == (
        "- first\n  - deeper\n    - deepest\n- second\n\nno bullet\n\n1. eins\n2. zwei\n\nplain"
    )


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        ('b="1"', "**x**"),
        ('i="1"', "*x*"),
        ('strike="sngStrike"', "~~x~~"),
        ('baseline="30000"', "^x^"),
        ('baseline="-25000"', "~x~"),
        ('b="0"', "x"),
    ],
)
def test_text_formatting_is_returned(look: str, expected: str) -> None:
    assert read(slide(shape(slide_paragraph("x", look=look)))).markdown == expected


def test_tiny_text_hidden_shapes_and_slide_numbers_are_dropped() -> None:
    one = slide(
        shape("Seen."),
        shape(slide_paragraph("tiny", look='sz="100"')),
        shape("hidden", drawn='hidden="1"'),
        shape("<a:p><a:fld type='slidenum'><a:t>7</a:t></a:fld></a:p>"),
        shape("12 May", placeholder='type="dt"'),
    )
    document = read(one)

    assert document.markdown == "Seen."
    assert document.removed == {"tiny text": 1, "hidden text": 1}


def test_merged_cells_leave_empty_ones() -> None:
    def cell(text: str, attributes: str = "") -> str:
        run = f"<a:r><a:t>{text}</a:t></a:r>"
        return f"<a:tc {attributes}><a:txBody><a:p>{run}</a:p></a:txBody></a:tc>"

    merged, tall = cell("", 'hMerge="1"'), cell("", 'vMerge="1"')
    rows = f"<a:tr>{cell('wide', WIDE)}{merged}{cell('c')}</a:tr>"
    rows += f"<a:tr>{cell('tall', TALL)}{cell('x')}{cell('y')}</a:tr>"
    rows += f"<a:tr>{tall}{cell('z')}{cell('end')}</a:tr>"
    data = f"<a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData>"
    frame = f"<p:graphicFrame><a:graphic>{data}</a:graphic></p:graphicFrame>"

    assert read(slide(frame)).markdown == "|wide||c|\n|-|-|-|\n|tall|x|y|\n||z|end|"


def test_slides_beyond_the_limit_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert_module, "_MOST_SLIDES", 1)
    document = read(slide(shape("one")), slide(shape("two")))

    assert document.markdown == "one"
    assert document.lost == ("The presentation has 2 slides; only the first 1 were read.",)


def test_presentation_without_text_is_refused() -> None:
    with pytest.raises(Refusal, match="no text that can be seen"):
        read(slide("<p:pic/>"))
