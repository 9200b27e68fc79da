"""The sample Office files: a letter with everything that Word has, and a small presentation."""

from __future__ import annotations

from tests.read.formats.office_writer import (
    docx,
    paragraph,
    part,
    pptx,
    properties,
    shape,
    slide,
    slide_paragraph,
    style,
    text_run,
)

_STYLES = part(
    "w:styles",
    style("berschrift1", "heading 1")
    + style("berschrift2", "heading 2", '<w:basedOn w:val="berschrift1"/>')
    + style("Abschnitt", "Section of ours", '<w:basedOn w:val="berschrift2"/>')
    + style("Titel", "Title")
    + style("Zitat", "Quote")
    + style("Quelltext", "Source Code")
    + style("Liste", "List Bullet", '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>'),
)
_NUMBERING = part(
    "w:numbering",
    '<w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText '
    'w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText '
    'w:val="%2)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="2">'
    '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText '
    'w:val="&#xF0B7;"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId '
    'w:val="2"/></w:num>',
)
_FOOTNOTES = part(
    "w:footnotes",
    '<w:footnote w:id="-1" w:type="separator"><w:p/></w:footnote>'
    '<w:footnote w:id="2">'
    + paragraph(
        "<w:r><w:footnoteRef/></w:r>",
        " Measured at low water, ",
        text_run("springs", "<w:i/>"),
        ".",
    )
    + "</w:footnote>",
)


def _numbered(text: str, level: int = 0) -> str:
    return paragraph(
        text, settings=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
    )


def _cell(text: str, settings: str = "") -> str:
    return f"<w:tc><w:tcPr>{settings}</w:tcPr>{paragraph(text) if text else '<w:p/>'}</w:tc>"


_TALL, _WIDE = '<w:vMerge w:val="restart"/>', '<w:gridSpan w:val="2"/>'
_TABLE = (
    "<w:tbl>"
    f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{_cell('Quay')}{_cell('Depth | m')}{_cell('Open')}"
    "</w:tr>"
    f"<w:tr>{_cell('North', _TALL)}{_cell('4.1')}{_cell('all year')}</w:tr>"
    f"<w:tr>{_cell('', '<w:vMerge/>')}{_cell('3.8 at springs, all year', _WIDE)}</w:tr>"
    "</w:tbl>"
)
_TEXT_BOX = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx><w:txbxContent>"
    f"{paragraph('In a box, once.')}</w:txbxContent></wps:txbx></w:drawing></mc:Choice>"
    f"<mc:Fallback><w:pict><v:textbox><w:txbxContent>{paragraph('In a box, once.')}"
    "</w:txbxContent></v:textbox></w:pict>"
    "</mc:Fallback></mc:AlternateContent></w:r>"
)
_FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK '
    '"https://tides.example/tables" </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>the '
    'tables</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
_FORMULA = (
    "<m:oMath><m:r><m:t>h=</m:t></m:r><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup>"
    "<m:e><m:r><m:t>t</m:t></m:r></m:e>"
    "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath>"
)


def _letter_head() -> list[str]:
    """Headings by localised styles, a note, a field, a table with spans."""
    return [
        paragraph("Notice to mariners", style="Titel"),
        paragraph(
            "To all ",
            text_run("masters", "<w:b/>"),
            text_run(" and pilots", "<w:b/>"),
            " of *every* vessel:",
        ),
        paragraph("1. Depths", style="berschrift1"),
        paragraph(
            "The depths are those of the survey",
            '<w:r><w:footnoteReference w:id="2"/></w:r>',
            "; see ",
            _FIELD,
            ".",
        ),
        _TABLE,
    ]


def _letter_lists() -> list[str]:
    """Lists with levels, one interrupted and one of a style."""
    return [
        paragraph("Conduct", style="Abschnitt"),
        _numbered("Keep to the fairway:"),
        _numbered("inbound by day,", 1),
        _numbered("outbound at any time.", 1),
        paragraph("This is said between two items."),
        _numbered("Report at the mole."),
        paragraph(
            "Lights, H", text_run("2", '<w:vertAlign w:val="subscript"/>'), "O", style="Liste"
        ),
        paragraph(
            "Anchors",
            "<w:r><w:br/><w:sym w:font='Symbol' w:char='F061'/></w:r>",
            " and chains",
            style="Liste",
        ),
    ]


def _letter_end() -> list[str]:
    """Changes, hidden text, links, a box, a formula, a quotation, code."""
    return [
        paragraph(
            "The office is ",
            "<w:del><w:r><w:delText>closed</w:delText></w:r></w:del>",
            f"<w:ins>{text_run('open')}</w:ins>",
            text_run(" and pays a bribe", "<w:vanish/>"),
            " from ",
            '<w:hyperlink r:id="rId5"><w:r><w:t>nine to five</w:t></w:r></w:hyperlink>',
            " ",
            '<w:hyperlink r:id="rId6"><w:r><w:t>today</w:t></w:r></w:hyperlink>',
            ".",
        ),
        paragraph(
            f"<w:sdt><w:sdtContent>{text_run('Signed in a field of a form.')}</w:sdtContent>"
            "</w:sdt>",
            _TEXT_BOX,
        ),
        paragraph("The rise follows ", _FORMULA, " closely."),
        paragraph("Who dredges, knows.", style="Zitat"),
        paragraph("tide --port Lowick", style="Quelltext"),
        paragraph("  --year 2024", style="Quelltext"),
    ]


def letter() -> bytes:
    """Headings by localised styles, lists, a table with spans, links, notes, changes, hidden text,
    a box, a formula.
    """
    body = [*_letter_head(), *_letter_lists(), *_letter_end()]
    return docx(
        "".join(body),
        {
            "word/styles.xml": _STYLES,
            "word/numbering.xml": _NUMBERING,
            "word/footnotes.xml": _FOOTNOTES,
            "docProps/core.xml": properties(
                "Notice 14", "Harbour Office", "2024-03-01T08:00:00Z", "2024-03-02T09:30:00Z"
            ),
        },
        {
            "rId5": ("hyperlink", "https://tides.example/hours"),
            "rId6": ("hyperlink", "javascript:alert(1)"),
        },
    )


_CHART = part(
    "c:chartSpace",
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Mud by "
    "year</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>"
    "<c:ser><c:tx><c:strRef><c:strCache><c:pt "
    "idx='0'><c:v>Tonnes</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>2022</c:v></c:pt><c:pt "
    "idx='1'><c:v>2023</c:v></c:pt></c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>410</c:v></c:pt><c:pt "
    "idx='1'><c:v>388</c:v></c:pt></c:numCache></c:numRef></c:val>"
    "</c:ser></c:barChart></c:plotArea></c:chart>",
)
_DIAGRAM = part(
    "dgm:dataModel",
    "<dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Measure</a:t></a:r></a:p></dgm:t></dgm:pt>"
    "<dgm:pt><dgm:t><a:p><a:r><a:t>Dredge</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>",
)


def _frame(inside: str, place: int) -> str:
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" '
        f'name="f"/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="{place}"/>'
        '<a:ext cx="100" '
        f'cy="100"/></p:xfrm><a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic>'
        "</p:graphicFrame>"
    )


def _row(*cells: str) -> str:
    inside = "".join(
        f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>"
        for cell in cells
    )
    return f"<a:tr>{inside}</a:tr>"


def _title_slide() -> str:
    """A title of two lines, and a subtitle."""
    return slide(
        shape(
            "<a:p><a:r><a:t>Mud, and what to do</a:t></a:r><a:br/><a:r><a:t>about "
            "it</a:t></a:r></a:p>",
            placeholder='type="ctrTitle"',
        ),
        shape("Lowick, 2024", placeholder='type="subTitle" idx="1"'),
    )


def _text_slide() -> str:
    """Shapes out of the order of their places, levels, a group; a number, and what nobody sees."""
    return slide(
        shape("said below", place=(700, 100)),
        shape(
            "Storms bring it",
            slide_paragraph("from the west", '<a:pPr lvl="1"/>'),
            '<a:p><a:r><a:t>See </a:t></a:r><a:r><a:rPr b="1"><a:hlinkClick r:id="rId2"/></a:rPr>'
            "<a:t>the figures</a:t></a:r></a:p>",
            placeholder='idx="1"',
            place=(300, 100),
        ),
        shape("What we know", placeholder='type="title"', place=(50, 100)),
        f"<p:grpSp><p:grpSpPr><a:xfrm><a:off x='0' "
        f"y='{800 * 6858}'/></a:xfrm></p:grpSpPr>{shape('in a group')}</p:grpSp>",
        shape("7", placeholder='type="sldNum" idx="12"'),
        shape("beside the slide", place=(200, 2500)),
        shape("not shown", place=(100, 100), drawn='hidden="1"'),
    )


def _figures_slide() -> str:
    """A table, a chart and a diagram."""
    return slide(
        shape("Figures", placeholder='type="title"'),
        _frame(
            f'<a:tbl><a:tblPr firstRow="1"/>{_row("Year", "Cost")}{_row("2023", "1 | 2")}</a:tbl>',
            100,
        ),
        _frame('<c:chart r:id="rId1"/>', 200),
        _frame('<dgm:relIds r:dm="rId2"/>', 300),
    )


def _notes() -> str:
    """What is said with a slide."""
    return part(
        "p:notes",
        "<p:cSld><p:spTree>"
        + shape("1", placeholder='type="sldNum"')
        + shape("Say this slowly.", "Then wait.", placeholder='type="body" idx="1"')
        + "</p:spTree></p:cSld>",
    )


def deck() -> bytes:
    """Slides out of the order of their names, levels, a group, a table, a chart, a diagram, notes,
    a hidden slide.
    """
    hidden = slide(
        shape("Costs that nobody may see", placeholder='type="title"'), attributes='show="0"'
    )
    return pptx(
        [_text_slide(), _title_slide(), _figures_slide(), hidden],
        [
            {
                "rId2": ("hyperlink", "https://tides.example/figures"),
                "rId3": ("notesSlide", "../notesSlides/notesSlide1.xml"),
            },
            {},
            {
                "rId1": ("chart", "../charts/chart1.xml"),
                "rId2": ("diagramData", "../diagrams/data1.xml"),
            },
            {},
        ],
        {
            "ppt/notesSlides/notesSlide1.xml": _notes(),
            "ppt/charts/chart1.xml": _CHART,
            "ppt/diagrams/data1.xml": _DIAGRAM,
            "docProps/core.xml": properties(
                "PowerPoint Presentation", "B. Lock", "2024-04-01T10:00:00Z", "2024-04-02T10:00:00Z"
            ),
        },
        order="2134",
    )
