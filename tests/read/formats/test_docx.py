"""Word documents."""

from __future__ import annotations

import pytest

from tests.read.formats.office_writer import (
    docx,
    docx_parts,
    paragraph,
    part,
    style,
    text_run,
    zipped,
)
from webquarry._read.documents import office
from webquarry._read.documents.docx import convert
from webquarry._read.documents.text import Refusal
from webquarry._read.format import ConvertedDocument

URL = "https://site.example/files/letter.docx"
BEGIN, SEPARATE, END = (
    f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")
)
STRICT = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
    "http://schemas.openxmlformats.org/officeDocument/2006": "http://purl.oclc.org/ooxml/officeDocument",
}


def read(
    body: str, parts: dict[str, str] | None = None, links: dict[str, tuple[str, str]] | None = None
) -> ConvertedDocument:
    return convert(docx(body, parts, links), URL)


def instruction(text: str) -> str:
    return f"{BEGIN}<w:r><w:instrText>{text}</w:instrText></w:r>{SEPARATE}"


def numbering(*levels: tuple[str, str], extra: str = "") -> str:
    inside = "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText '
        f'w:val="{text}"/></w:lvl>'
        for place, (form, text) in enumerate(levels)
    )
    abstract = f'<w:abstractNum w:abstractNumId="7">{inside}</w:abstractNum>'
    return part(
        "w:numbering", f'{abstract}<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>{extra}'
    )


def item(text: str, level: int = 0, list_id: int = 1) -> str:
    return paragraph(
        text, settings=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    )


def table(*rows: list[str]) -> str:
    cells = [
        "".join(f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in row)
        for row in rows
    ]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


@pytest.mark.parametrize(
    ("styles", "settings", "expected"),
    [
        (style("berschrift2", "heading 2"), '<w:pStyle w:val="berschrift2"/>', "## Depths"),
        (style("X", "heading 7"), '<w:pStyle w:val="X"/>', "###### Depths"),
        (
            style("A", "heading 1") + style("B", "Ours", '<w:basedOn w:val="A"/>'),
            '<w:pStyle w:val="B"/>',
            "# Depths",
        ),
        (
            style("A", "Ours", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
            '<w:pStyle w:val="A"/>',
            "### Depths",
        ),
        (style("A", "heading 1"), '<w:pStyle w:val="A"/><w:outlineLvl w:val="9"/>', "Depths"),
        ("", '<w:outlineLvl w:val="0"/>', "# Depths"),
        (style("T", "Title"), '<w:pStyle w:val="T"/>', "# Depths"),
        (style("A", "Ours", '<w:basedOn w:val="A"/>'), '<w:pStyle w:val="A"/>', "Depths"),
        ("", '<w:pStyle w:val="missing"/>', "Depths"),
    ],
)
def test_heading_styles_are_recognised_in_any_language(
    styles: str, settings: str, expected: str
) -> None:
    assert (
        read(
            paragraph("Depths", settings=settings), {"word/styles.xml": part("w:styles", styles)}
        ).markdown
        == expected
    )


def test_list_numbers_continue_and_deeper_levels_restart() -> None:
    body = (
        item("a") + item("b", 1) + paragraph("Between.") + item("c", 1) + item("d") + item("e", 1)
    )

    markdown = read(
        body, {"word/numbering.xml": numbering(("decimal", "%1."), ("decimal", "%2)"))}
    ).markdown

    assert markdown == "1. a\n   1) b\n\nBetween.\n\n2) c\n2. d\n   1) e"


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("bullet", "•", "- x"),
        ("lowerLetter", "%1)", "- a) x"),
        ("upperRoman", "%1.", "- I. x"),
        ("decimal", "Article %1:", "- Article 1: x"),
        ("none", "", "- x"),
    ],
)
def test_number_formats_without_markdown_syntax_become_labels(
    form: str, text: str, expected: str
) -> None:
    assert read(item("x"), {"word/numbering.xml": numbering((form, text))}).markdown == expected


def test_emphasis_joins_runs_and_leaves_blanks_outside() -> None:
    bold, both = "<w:b/>", "<w:b/><w:i/>"
    body = paragraph(
        "a ",
        text_run("b", bold),
        text_run("c ", bold),
        text_run("d", both),
        text_run(" e", '<w:b w:val="0"/>'),
    )

    assert read(body).markdown == "a **bc *d*** e"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (text_run("2", '<w:vertAlign w:val="superscript"/>'), "x²"),
        (text_run("2", '<w:vertAlign w:val="subscript"/>'), "x₂"),
        (text_run("gone", "<w:strike/>"), "x~~gone~~"),
        ("<w:r><w:sym w:font='Symbol' w:char='F062'/></w:r>", "xβ"),
        ("<w:r><w:sym w:font='Wingdings' w:char='F0FC'/></w:r>", "x✓"),
        ("<w:r><w:sym w:font='Nobody' w:char='F0FC'/></w:r>", "x"),
        ("<w:r><w:noBreakHyphen/><w:t>y</w:t></w:r>", "x\u2011y"),
        ("<w:r><w:softHyphen/><w:t>y</w:t></w:r>", "xy"),
        ("<w:r><w:tab/><w:t>y</w:t></w:r>", "x y"),
        ("<w:r><w:br/><w:t>y</w:t></w:r>", "x\ny"),
        ("<w:r><w:br w:type='page'/><w:t>y</w:t></w:r>", "x y"),
        (
            "<w:r><w:ruby><w:rt><w:r><w:t>shio</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>潮</w:t></w:r></w:rubyBase></w:ruby></w:r>",
            "x潮",
        ),
        ("<w:smartTag><w:r><w:t>tagged</w:t></w:r></w:smartTag>", "xtagged"),
        ("<w:r><w:commentReference w:id='1'/></w:r>", "x"),
    ],
)
def test_all_run_contents_are_read(run: str, expected: str) -> None:
    assert read(paragraph("x", run)).markdown == expected


def test_insertions_are_returned_and_deletions_dropped() -> None:
    deleted = "<w:r><w:delText>old</w:delText></w:r>"
    body = paragraph(
        f"<w:ins>{text_run('new')}</w:ins>",
        f"<w:del>{deleted}</w:del>",
        f"<w:moveFrom>{text_run('moved away')}</w:moveFrom>",
        f"<w:moveTo>{text_run(' moved here')}</w:moveTo>",
    )
    document = read(body)

    assert document.markdown == "new moved here"
    assert document.removed == {"deleted text": 2}


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ("<w:vanish/>", "hidden text"),
        ('<w:sz w:val="2"/>', "tiny text"),
        ('<w:color w:val="FFFFFF"/>', "same colour"),
        ('<w:rStyle w:val="Secret"/>', "hidden text"),
    ],
)
def test_hidden_docx_text_is_dropped_and_counted(look: str, reason: str) -> None:
    styles = part("w:styles", style("Secret", "Secret", "<w:rPr><w:vanish/></w:rPr>", "character"))
    document = read(paragraph("Seen. ", text_run("Unseen.", look)), {"word/styles.xml": styles})

    assert document.markdown == "Seen."
    assert document.removed == {reason: 1}


@pytest.mark.parametrize(
    "body",
    [
        paragraph(text_run("White.", '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>')),
        paragraph(text_run("White.", '<w:color w:val="FFFFFF"/><w:highlight w:val="blue"/>')),
        paragraph(
            text_run("White.", '<w:color w:val="FFFFFF"/>'), settings='<w:shd w:fill="0000FF"/>'
        ),
        table(
            [paragraph(text_run("White.", '<w:color w:val="FFFFFF"/>')), "x"], ["y", "z"]
        ).replace("<w:tbl>", '<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr>'),
        paragraph(text_run("White.", '<w:vanish w:val="0"/>')),
    ],
)
def test_white_text_that_may_have_a_dark_background_is_returned(body: str) -> None:
    assert "White." in read(body).markdown


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (
            instruction(' HYPERLINK "https://a.example/" ') + text_run("there") + END,
            "[there](https://a.example/)",
        ),
        (instruction(' HYPERLINK \\l "_Toc1" ') + text_run("below") + END, "below"),
        (instruction(' HYPERLINK "javascript:x()" ') + text_run("bad") + END, "bad"),
        (instruction(" PAGEREF x ") + text_run("12") + END, "12"),
        (BEGIN + "<w:r><w:instrText>TIME</w:instrText></w:r>" + END + text_run("after"), "after"),
        (BEGIN + "<w:r><w:instrText>never ended</w:instrText></w:r>", ""),
        (
            '<w:fldSimple w:instr="HYPERLINK '
            'https://a.example/b"><w:r><w:t>b</w:t></w:r></w:fldSimple>',
            "[b](https://a.example/b)",
        ),
        (
            '<w:hyperlink r:id="rId1"><w:r><w:t>c</w:t></w:r></w:hyperlink>',
            "[c](https://site.example/files/c.html)",
        ),
        ('<w:hyperlink w:anchor="x"><w:r><w:t>d</w:t></w:r></w:hyperlink>', "d"),
        (
            instruction("TOC")
            + instruction(' HYPERLINK "https://a.example/" ')
            + text_run("in")
            + END
            + text_run(" out")
            + END,
            "[in](https://a.example/) out",
        ),
    ],
)
def test_links_and_fields_return_their_text(runs: str, expected: str) -> None:
    relation = {"rId1": ("hyperlink", "https://site.example/files/c.html")}

    assert (
        read(paragraph(runs) + paragraph("Next."), links=relation).markdown
        == f"{expected}\n\nNext.".strip()
    )


def test_table_cells_are_escaped_and_spanned() -> None:
    span = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    top, below = ('<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>")
    body = (
        f"<w:tbl><w:tr><w:tc>{span}{paragraph('wide | one')}</w:tc>"
        f"<w:tc>{paragraph('c')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{top}{paragraph('tall')}</w:tc><w:tc>{paragraph('x')}{paragraph('y')}</w:tc><w:tc><w:p/></w:tc></w:tr>"
        f"<w:tr><w:tc>{below}{paragraph('covered')}</w:tc><w:tc>{paragraph('z')}</w:tc><w:tc>{paragraph('end')}</w:tc></w:tr></w:tbl>"
    )

    assert read(body).markdown == "|wide \\| one||c|\n|-|-|-|\n|tall|x y||\n||z|end|"


def test_layout_table_is_not_written_as_a_table() -> None:
    styles = {"word/styles.xml": part("w:styles", style("H", "heading 1"))}

    assert (
        read(table([paragraph("In a frame", style="H") + paragraph("Text.")]), styles).markdown
        == "# In a frame\n\nText."
    )


def test_deleted_rows_are_dropped() -> None:
    row = (
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('gone')}</w:tc><w:tc><w:p/></w:tc></w:tr>"
    )
    body = table(["a", "b"], ["c", "d"]).replace("</w:tbl>", row + "</w:tbl>")

    assert "gone" not in read(body).markdown


def test_notes_are_numbered_in_order_of_reference() -> None:
    def note(kind: str, identity: int, text: str) -> str:
        return f'<w:{kind} w:id="{identity}">{paragraph(text)}</w:{kind}>'

    def mark(kind: str, identity: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{identity}"/></w:r>'

    parts = {
        "word/footnotes.xml": part(
            "w:footnotes",
            note("footnote", 2, "two")
            + note("footnote", 3, "three")
            + note("footnote", 4, "never"),
        ),
        "word/endnotes.xml": part("w:endnotes", note("endnote", 2, "at the end")),
    }
    body = paragraph(
        "a",
        mark("footnote", 3),
        " b",
        mark("footnote", 2),
        " c",
        mark("endnote", 2),
        mark("footnote", 99),
    )

    assert (
        read(body, parts).markdown
        == "a[^1] b[^2] c[^3]\n\n[^1]: three\n\n[^2]: two\n\n[^3]: at the end"
    )


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<m:r><m:t>a_b</m:t></m:r>", r"$a\_b$"),
        (
            "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>",
            r"$\frac{1}{2}$",
        ),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>", r"$\sqrt{x}$"),
        (
            "<m:nary><m:naryPr><m:chr "
            "m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:sup/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>",
            r"$\sum_{i} x$",
        ),
        ("<m:d><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>", "$(x)$"),
        (
            "<m:m><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr></m:m>",
            r"$\begin{matrix}a & b\end{matrix}$",
        ),
    ],
)
def test_formulas_become_tex(formula: str, expected: str) -> None:
    assert read(paragraph(f"<m:oMath>{formula}</m:oMath>")).markdown == expected
    assert read(f"<m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara>").markdown == expected


def test_charts_and_diagrams_in_a_document_are_read() -> None:
    chart = part(
        "c:chartSpace",
        "<c:chart><c:plotArea><c:ser><c:cat><c:pt "
        "idx='0'><c:v>2023</c:v></c:pt></c:cat><c:val><c:pt "
        "idx='0'><c:v>4</c:v></c:pt></c:val></c:ser></c:plotArea></c:chart>",
    )
    data = part(
        "dgm:dataModel",
        "<dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Dig</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>",
    )
    drawings = (
        '<w:r><w:drawing><a:graphic><c:chart r:id="rId1"/></a:graphic></w:drawing>'
        '<w:drawing><a:x><dgm:relIds r:dm="rId2"/></a:x></w:drawing></w:r>'
    )
    document = read(
        paragraph("Before.", drawings),
        {"word/charts/chart1.xml": chart, "word/diagrams/data1.xml": data},
        {"rId1": ("chart", "charts/chart1.xml"), "rId2": ("diagramData", "diagrams/data1.xml")},
    )

    assert document.markdown == "Before.\n\n|2023|4|\n|-|-|\n\n- Dig"


def test_strict_ooxml_is_read() -> None:
    parts = docx_parts(table(["a", "b"], ["c", "d"]) + paragraph("Text."))
    strict = {name: _replaced(str(data)) for name, data in parts.items()}

    assert convert(zipped(strict), URL).markdown == "|a|b|\n|-|-|\n|c|d|\n\nText."


def _replaced(text: str) -> str:
    for old, new in STRICT.items():
        text = text.replace(old, new)
    return text


def test_main_part_is_found_by_its_relation() -> None:
    parts = docx_parts(paragraph("Elsewhere."))
    parts["word/document2.xml"] = parts.pop("word/document.xml")
    parts["_rels/.rels"] = str(parts["_rels/.rels"]).replace(
        "word/document.xml", "/word/document2.xml"
    )

    assert convert(zipped(parts), URL).markdown == "Elsewhere."


def test_text_beyond_the_limit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "LONGEST_TEXT", 60)
    document = read(paragraph("x" * 50) + paragraph("y" * 50))

    assert document.markdown == "x" * 50
    assert (
        document.lost
        == document.notes
        == ("The document has more text than is read at once; its end is missing.",)
    )


def test_document_without_text_is_refused() -> None:
    with pytest.raises(Refusal, match="no text that can be seen"):
        read(paragraph(text_run("unseen", "<w:vanish/>")))


def test_chat_delimiters_and_invisible_characters_are_removed() -> None:
    document = read(paragraph("&lt;|im_start|&gt;sys\u200btem\u202e"))

    assert document.markdown == "&lt;|im_start|>system"
    assert document.removed == {"zero-width character": 1, "bidi control": 1, "chat delimiter": 1}
