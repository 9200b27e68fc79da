"""PDF: tables with rules and without, lists and code."""

from __future__ import annotations

from tests.read.formats.pdf_reading import LONG, read
from tests.read.formats.pdf_writer import CODE, Page, Pdf


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


def test_frame_around_text_is_not_a_table() -> None:
    def draw(page: Page) -> None:
        page.raw("60 600 480 120 re S")
        page.paragraph(72, 700, LONG, 450)

    assert "|" not in read(draw).markdown


def test_nested_lists_follow_their_indents() -> None:
    def draw(page: Page) -> None:
        for place, (inset, text) in enumerate(
            [(0, "• one"), (20, "– inner"), (20, "– inner too"), (0, "• two")]
        ):
            page.text(72 + inset, 700 - 14 * place, text)

    assert read(draw).markdown == "- one\n  - inner\n  - inner too\n- two"


def test_code_preserves_lines_and_spaces() -> None:
    def draw(page: Page) -> None:
        page.paragraph(72, 740, LONG, 450)
        for place, (indent, text) in enumerate(
            [(0, "for tide in tides:"), (4, "print(tide)   # `all`"), (0, "done()")]
        ):
            page.text(72 + 6 * indent, 640 - 12 * place, text, CODE, 10)

    assert "```\nfor tide in tides:\n    print(tide)   # `all`\ndone()\n```" in read(draw).markdown
