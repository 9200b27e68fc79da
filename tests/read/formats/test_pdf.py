"""PDF: paragraphs, headings, tables, lists, code, pages and metadata."""

from __future__ import annotations

import pytest

from tests.read.formats.pdf_reading import LONG, pages_with, read
from tests.read.formats.pdf_writer import BOLD, CODE, Page, Pdf, stream
from webquarry._read.documents import pdf as convert_module
from webquarry._read.documents.pdf_lines import HYPHEN, Joiner


def test_paragraphs_are_separated_by_gaps() -> None:
    def draw(page: Page) -> None:
        y = page.paragraph(72, 700, "First. " + LONG, 450)
        y = page.paragraph(72, y - 8, "Second. " + LONG, 450)
        page.paragraph(72, y - 8, "Third. " + LONG, 450)

    assert read(draw).markdown.split("\n\n") == [
        f"{name}. {LONG}".strip() for name in ("First", "Second", "Third")
    ]


def test_columns_are_read_in_order() -> None:
    def draw(page: Page) -> None:
        page.paragraph(50, 700, "Left begins. " + LONG + "Left ends.", 220)
        page.paragraph(320, 700, "Right begins. " + LONG + "Right ends.", 220)

    markdown = read(draw).markdown

    assert markdown.index("Left ends.") < markdown.index("Right begins.")
    assert "|" not in markdown


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


def table_page(
    page: Page, rows: list[list[str]], top: float = 700, xs: tuple[int, ...] = (72, 200, 320)
) -> float:
    for row in rows:
        for x, cell in zip(xs, row, strict=False):
            if cell:
                page.text(x, top, cell)
        top -= 14
    return top


def test_aligned_columns_without_rules_are_a_table() -> None:
    rows = [
        ["Port", "High water", "Low water"],
        ["Lowick", "06:14", "12:20"],
        ["Strand Bay", "06:40", ""],
        ["Overy", "07:02", "13:11"],
    ]

    def draw(page: Page) -> None:
        page.paragraph(72, table_page(page, rows) - 20, LONG, 450)

    assert read(draw).markdown.split("\n\n")[0] == (
        "|Port|High water|Low water|\n|-|-|-|\n|Lowick|06:14|12:20|\n|"
        "Strand Bay|06:40||\n|Overy|07:02|13:11|"
    )


def ruled(page: Page, xs: list[int], ys: list[int]) -> None:
    for x in xs:
        page.rule(x, ys[0], x, ys[-1])
    for y in ys:
        page.rule(xs[0], y, xs[-1], y)


def test_a_ruled_table_keeps_wrapped_cells_together() -> None:
    def draw(page: Page) -> None:
        ruled(page, [72, 200, 330], [700, 670, 640])
        page.text(76, 690, "first cell that")
        page.text(76, 678, "goes on below")
        page.text(204, 690, "second | cell")
        page.text(76, 660, "x")
        page.text(204, 660, "y")

    assert read(draw).markdown == "|first cell that goes on below|second \\| cell|\n|-|-|\n|x|y|"


def test_cells_without_a_rule_between_them_are_merged() -> None:
    def draw(page: Page) -> None:
        ruled(page, [72, 330], [700, 680, 660])
        page.rule(200, 680, 200, 660)
        page.text(76, 686, "Head over both")
        page.text(76, 666, "a")
        page.text(204, 666, "b")
        page.rule(72, 640, 330, 640)
        page.rule(72, 660, 72, 640)
        page.rule(200, 660, 200, 640)
        page.rule(330, 660, 330, 640)
        page.text(76, 646, "c")
        page.text(204, 646, "d")

    assert read(draw).markdown == "|Head over both||\n|-|-|\n|a|b|\n|c|d|"


def test_table_continued_on_the_next_page_is_joined() -> None:
    pdf = Pdf()
    for rows, top in (
        ([["Port", "Depth"], ["Lowick", "4"]], 100),
        ([["Port", "Depth"], ["Strand", "5"]], 720),
    ):
        page = pdf.add()
        ruled(page, [72, 200, 330], [top, top - 20, top - 40])
        for place, row in enumerate(rows):
            page.text(76, top - 14 - 20 * place, row[0])
            page.text(204, top - 14 - 20 * place, row[1])

    assert read(pdf=pdf).markdown == "|Port|Depth|\n|-|-|\n|Lowick|4|\n|Strand|5|"


def test_nested_lists_follow_their_indents() -> None:
    def draw(page: Page) -> None:
        for place, (inset, text) in enumerate(
            [(0, "• one"), (20, "– inner"), (20, "– inner too"), (0, "• two")]
        ):
            page.text(72 + inset, 700 - 14 * place, text)

    assert read(draw).markdown == "- one\n  - inner\n  - inner too\n- two"


def test_code_preserves_lines_and_indents() -> None:
    def draw(page: Page) -> None:
        page.paragraph(72, 740, LONG, 450)
        for place, (indent, text) in enumerate(
            [(0, "for tide in tides:"), (4, "print(tide) # `all`"), (0, "done()")]
        ):
            page.text(72 + 6 * indent, 640 - 12 * place, text, CODE, 10)

    assert "```\nfor tide in tides:\n    print(tide) # `all`\ndone()\n```" in read(draw).markdown


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
