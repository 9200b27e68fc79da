"""Word files of the bench, by python-docx with XML of Word's own, and by LibreOffice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import docx
from common import code, convert_with_office, document, edit_zip, heading, item, link, row
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.shared import Pt, RGBColor
from lxml import etree
from pdf_files import OFFICE_PAGE

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PREFIXES = {
    "w": W,
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
}
NAMESPACES = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in PREFIXES.items())
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CHART = f"""<c:chartSpace {NAMESPACES}><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r>
<a:t>Visitors per month</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>
<c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Adults</c:v></c:pt></c:strCache></c:strRef></c:tx>
<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt>
</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4180</c:v></c:pt>
<c:pt idx="1"><c:v>5265</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart>
</c:plotArea></c:chart></c:chartSpace>"""
DIAGRAM = f"""<dgm:dataModel {NAMESPACES}><dgm:ptLst>
<dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Collect the samples</a:t></a:r></a:p></dgm:t>
</dgm:pt><dgm:pt modelId="2"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Dry them for six hours</a:t></a:r></a:p>
</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"""
DATE = 'w:id="1" w:author="A. Editor" w:date="2024-02-01T10:00:00Z"'


def add_xml(parent: Any, xml: str) -> Any:
    """Append XML to an element; its root gets the namespaces."""
    element = parse_xml(re.sub(r"^<[\w:]+", rf"\g<0> {NAMESPACES}", xml))
    parent.append(element)
    return element


def add_paragraph(document: Any, xml: str) -> None:
    """Append a paragraph of raw XML in front of the section properties."""
    section = document.element.body.sectPr
    paragraph = add_xml(document.element.body, f"<w:p>{xml}</w:p>")
    section.addprevious(paragraph)


def add_part(parts: dict[str, bytes], name: str, content_type: str, relation: str, xml: str) -> str:
    """Add a part to a Word file with its relation from the document; returns the relation's id."""
    parts[f"word/{name}"] = xml.encode()
    types = parts["[Content_Types].xml"].decode()
    override = f'<Override PartName="/word/{name}" ContentType="{content_type}"/>'
    parts["[Content_Types].xml"] = types.replace("</Types>", f"{override}</Types>").encode()
    key = f"rIdX{name.replace('/', '').partition('.')[0]}"
    relations = parts["word/_rels/document.xml.rels"].decode()
    entry = f'<Relationship Id="{key}" Type="{RELATIONS}/{relation}" Target="{name}"/>'
    parts["word/_rels/document.xml.rels"] = relations.replace(
        "</Relationships>", f"{entry}</Relationships>"
    ).encode()
    return key


def save(document: Any, path: Path) -> None:
    """Save a document with its namespaces declared on the root, as Word does."""
    etree.cleanup_namespaces(document.element, top_nsmap=PREFIXES, keep_ns_prefixes=list(PREFIXES))
    document.save(path)


def text(words: str, settings: str = "") -> str:
    """A run of text as XML."""
    return f'<w:r><w:rPr>{settings}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


@document(
    "report.docx",
    "python-docx",
    facts=[
        "The workshop repaired 418 bicycles in the last season",
        "Spokes account for a third of all repairs",
        "paid by the council",
    ],
    structure=[
        heading("Bicycle Workshop"),
        heading("Repairs"),
        heading("Staff"),
        item("brake cables"),
        item("rear axles"),
        item("Book an appointment"),
        item("Bring the frame number"),
        row("Part", "Repairs", "Share"),
        row("Spokes", "139", "33 %"),
        row("Brakes", "88", "21 %"),
        row("All other parts", "191"),
        link("booking page", "https://workshop.example/book"),
    ],
    absent=["Confidential draft header", "Printed on recycled paper"],
    order=["418 bicycles", "brake cables", "Book an appointment", "Spokes", "paid by the council"],
)
def write_report(path: Path) -> None:
    report = docx.Document()
    report.sections[0].header.paragraphs[0].text = "Confidential draft header"
    report.sections[0].footer.paragraphs[0].text = "Printed on recycled paper"
    report.add_heading("Bicycle Workshop", 0)
    report.add_paragraph("The workshop repaired 418 bicycles in the last season.")
    report.add_heading("Repairs", 1)
    for name in ("brake cables", "rear axles"):
        report.add_paragraph(name, "List Bullet")
    for name in ("Book an appointment", "Bring the frame number"):
        report.add_paragraph(name, "List Number")
    table = report.add_table(4, 3, "Table Grid")
    for line, cells in zip(
        table.rows,
        (
            ("Part", "Repairs", "Share"),
            ("Spokes", "139", "33 %"),
            ("Brakes", "88", "21 %"),
            ("All other parts", "191", ""),
        ),
        strict=True,
    ):
        for cell, words in zip(line.cells, cells, strict=True):
            cell.text = words
    table.cell(3, 1).merge(table.cell(3, 2))
    report.add_paragraph("Spokes account for a third of all repairs.")
    report.add_heading("Staff", 2)
    paragraph = report.add_paragraph("Four mechanics are ")
    paragraph.add_run("paid by the council").bold = True
    paragraph.add_run(". Use the ")
    key = report.part.relate_to(
        "https://workshop.example/book", RELATIONSHIP_TYPE.HYPERLINK, is_external=True
    )
    add_xml(paragraph._p, f'<w:hyperlink r:id="{key}">{text("booking page")}</w:hyperlink>')
    save(report, path)


@document(
    "tracked.docx",
    "python-docx",
    facts=[
        "The fee is 45 crowns per term",
        "Inserted sentence about the cellar",
        "moved to its new place",
        "The first half joined with the second half",
    ],
    absent=["forty crowns", "deleted row", "from its old place", "comment of the editor"],
    order=["The fee is 45", "Inserted sentence", "moved to its new place", "The first half"],
)
def write_tracked(path: Path) -> None:
    tracked = docx.Document()
    add_paragraph(
        tracked,
        text("The fee is ")
        + f"<w:del {DATE}><w:r><w:delText>forty crowns</w:delText></w:r></w:del>"
        + f"<w:ins {DATE}>{text('45 crowns')}</w:ins>"
        + text(" per term."),
    )
    add_paragraph(tracked, f"<w:moveFrom {DATE}>{text('from its old place')}</w:moveFrom>")
    add_paragraph(tracked, f"<w:ins {DATE}>{text('Inserted sentence about the cellar.')}</w:ins>")
    add_paragraph(
        tracked, f"<w:moveTo {DATE}>{text('This was moved to its new place.')}</w:moveTo>"
    )
    add_paragraph(
        tracked,
        f"<w:pPr><w:rPr><w:del {DATE}/></w:rPr></w:pPr>{text('The first half ')}",
    )
    add_paragraph(tracked, text("joined with the second half."))
    table = tracked.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "kept row", "1"
    table.cell(1, 0).text, table.cell(1, 1).text = "deleted row", "2"
    add_xml(table.rows[1]._tr.get_or_add_trPr(), f"<w:del {DATE}/>")
    paragraph = tracked.add_paragraph("A remark follows.")
    tracked.add_comment(paragraph.runs, "comment of the editor", "A. Editor")
    save(tracked, path)


@document(
    "hidden.docx",
    "python-docx",
    facts=["The visible paragraph names the year 1866", "White words on the dark cell"],
    absent=["hidden by vanish", "hidden by its style", "white on white", "too small to read"],
    order=["The visible paragraph", "White words on"],
)
def write_hidden(path: Path) -> None:
    hidden = docx.Document()
    hidden.add_paragraph("The visible paragraph names the year 1866.")
    hidden.add_paragraph().add_run("hidden by vanish").font.hidden = True
    style = hidden.styles.add_style("Secret", 1)
    style.font.hidden = True
    hidden.add_paragraph("hidden by its style", "Secret")
    white = hidden.add_paragraph().add_run("white on white")
    white.font.color.rgb = RGBColor(255, 255, 255)
    hidden.add_paragraph().add_run("too small to read").font.size = Pt(0.5)
    table = hidden.add_table(1, 2)
    run = table.cell(0, 0).paragraphs[0].add_run("White words on the dark cell")
    run.font.color.rgb = RGBColor(255, 255, 255)
    add_xml(table.cell(0, 0)._tc.get_or_add_tcPr(), '<w:shd w:val="clear" w:fill="1F3864"/>')
    save(hidden, path)


@document(
    "notes.docx",
    "python-docx",
    facts=[
        "The mill was sold in 1799",
        "Deed of sale, box 14 of the estate papers",
        "The endnote names the surveyor Lindqvist",
        "for 3,200 thalers",
    ],
    absent=["separator"],
    order=["The mill was sold", "for 3,200 thalers", "Deed of sale", "The endnote names"],
)
def write_notes(path: Path) -> None:
    notes = docx.Document()
    add_paragraph(
        notes,
        text("The mill was sold in 1799")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + text(" for 3,200 thalers")
        + '<w:r><w:endnoteReference w:id="2"/></w:r>'
        + text("."),
    )
    save(notes, path)

    def edit(parts: dict[str, bytes]) -> None:
        for kind, words in (
            ("footnote", "Deed of sale, box 14 of the estate papers."),
            ("endnote", "The endnote names the surveyor Lindqvist."),
        ):
            xml = (
                f'<w:{kind}s {NAMESPACES}><w:{kind} w:type="separator" w:id="0"><w:p>'
                f"<w:r><w:separator/></w:r></w:p></w:{kind}>"
                f'<w:{kind} w:id="2"><w:p><w:r><w:{kind}Ref/></w:r>{text(" " + words)}</w:p>'
                f"</w:{kind}></w:{kind}s>"
            )
            content = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
            add_part(parts, f"{kind}s.xml", content, f"{kind}s", xml)

    edit_zip(path, edit)


@document(
    "equations.docx",
    "python-docx",
    facts=["The roots of the equation are", r"\frac{-b+\sqrt{b^{2}-4ac}}{2a}", r"\sum_{k=1}^{n}"],
    order=["The roots of the equation", r"\sqrt", r"\sum"],
)
def write_equations(path: Path) -> None:
    def math(words: str) -> str:
        return f"<m:r><m:t>{words}</m:t></m:r>"

    equations = docx.Document()
    power = f"<m:sSup><m:sSupPr/><m:e>{math('b')}</m:e><m:sup>{math('2')}</m:sup></m:sSup>"
    root = (
        '<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>'
        f"<m:e>{power}{math('-4ac')}</m:e></m:rad>"
    )
    fraction = f"<m:f><m:fPr/><m:num>{math('-b+')}{root}</m:num><m:den>{math('2a')}</m:den></m:f>"
    add_paragraph(
        equations, text("The roots of the equation are ") + f"<m:oMath>{fraction}</m:oMath>"
    )
    total = (
        '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>'
        f"<m:sub>{math('k=1')}</m:sub><m:sup>{math('n')}</m:sup><m:e>{math('k')}</m:e></m:nary>"
    )
    add_paragraph(equations, f"<m:oMathPara><m:oMath>{total}</m:oMath></m:oMathPara>")
    save(equations, path)


@document(
    "objects.docx",
    "python-docx",
    facts=[
        "The box says that the gate closes at dusk",
        "Visitors per month",
        "Collect the samples",
        "Dry them for six hours",
        "Text after the objects",
    ],
    structure=[row("May", "4180"), row("June", "5265"), item("Collect the samples")],
    absent=["fallback copy of the box"],
    order=["The box says", "Visitors per month", "Collect the samples", "Text after"],
)
def write_objects(path: Path) -> None:
    objects = docx.Document()
    box = "<w:txbxContent><w:p>{}</w:p></w:txbxContent>"
    words = text("The box says that the gate closes at dusk.")
    add_paragraph(
        objects,
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic>'
        f"<a:graphicData><wps:wsp><wps:txbx>{box.format(words)}</wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f"<v:textbox>{box.format(words + text('fallback copy of the box'))}</v:textbox>"
        "</w:pict></mc:Fallback></mc:AlternateContent></w:r>",
    )
    drawing = (
        "<w:r><w:drawing><wp:inline><a:graphic><a:graphicData>{}</a:graphicData></a:graphic>"
        "</wp:inline></w:drawing></w:r>"
    )
    add_paragraph(objects, drawing.format('<c:chart r:id="rIdXchartschart1"/>'))
    add_paragraph(objects, drawing.format('<dgm:relIds r:dm="rIdXdiagramsdata1"/>'))
    objects.add_paragraph("Text after the objects.")
    save(objects, path)

    def edit(parts: dict[str, bytes]) -> None:
        office = "application/vnd.openxmlformats-officedocument.drawingml."
        add_part(parts, "charts/chart1.xml", f"{office}chart+xml", "chart", CHART)
        add_part(parts, "diagrams/data1.xml", f"{office}diagramData+xml", "diagramData", DIAGRAM)

    edit_zip(path, edit)


@document(
    "numbering.docx",
    "python-docx",
    facts=[
        "1 Scope",
        "1.1 Terms",
        "2 Duties",
        "(b) keep the keys",
        "iii. return the badge",
    ],
    structure=[heading("1 Scope"), heading("1.1 Terms"), heading("2 Duties")],
    order=["Scope", "Terms", "Duties", "lock the gate", "keep the keys", "return the badge"],
)
def write_numbering(path: Path) -> None:
    rules = docx.Document()
    numbering = rules.part.numbering_part.element
    first = numbering[0]

    def define(number: int, levels: list[tuple[str, str]]) -> None:
        inner = "".join(
            f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
            f'<w:lvlText w:val="{label}"/></w:lvl>'
            for level, (kind, label) in enumerate(levels)
        )
        abstract = add_xml(
            numbering,
            f'<w:abstractNum w:abstractNumId="{number}">'
            f'<w:multiLevelType w:val="multilevel"/>{inner}</w:abstractNum>',
        )
        first.addprevious(abstract)
        add_xml(numbering, f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>')

    define(90, [("decimal", "%1"), ("decimal", "%1.%2")])
    define(91, [("lowerLetter", "(%1)")])
    define(92, [("lowerRoman", "%1.")])

    def add(words: str, style: str, number: int, level: int = 0) -> None:
        settings = rules.add_paragraph(words, style)._p.get_or_add_pPr()
        add_xml(
            settings, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        )

    add("Scope", "Heading 1", 90)
    add("Terms", "Heading 2", 90, 1)
    add("Duties", "Heading 1", 90)
    rules.add_paragraph("The warden shall")
    add("lock the gate", "Normal", 91)
    add("keep the keys", "Normal", 91)
    rules.add_paragraph("The visitor shall")
    for words in ("sign the book", "wear the badge", "return the badge"):
        add(words, "Normal", 92)
    save(rules, path)


@document(
    "fields.docx",
    "python-docx",
    facts=[
        "Bees of the Heath",
        "Nesting",
        "The chosen species is Andrena fuscipes",
        "as shown in Table 4",
        "temperature → humidity",
        "Inner cell of the nested table",
        "Layout text on the left side",
    ],
    structure=[
        heading("Bees of the Heath"),
        link("distribution map", "https://bees.example/map"),
        code("count = len(nests)"),
        row("Site", "Nests"),
        row("Old quarry", "77"),
    ],
    absent=["TOC \\o", "REF _Ref1", "HYPERLINK", "Choose an item"],
    order=["Bees of the Heath", "The chosen species", "as shown in Table 4", "Old quarry"],
)
def write_fields(path: Path) -> None:
    def field(instruction: str, result: str) -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f'<w:r><w:instrText xml:space="preserve">{instruction}</w:instrText></w:r>'
            f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{text(result)}'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    bees = docx.Document()
    bees.add_heading("Bees of the Heath", 0)
    bees.styles.add_style("toc 1", 1)
    add_paragraph(
        bees,
        '<w:pPr><w:pStyle w:val="toc1"/></w:pPr>'
        + field(' TOC \\o "1-3" ', "Nesting</w:t><w:tab/><w:t>3"),
    )
    bees.add_heading("Nesting", 1)
    add_paragraph(
        bees,
        text("The chosen species is ")
        + "<w:sdt><w:sdtPr><w:alias w:val='Choose an item'/></w:sdtPr><w:sdtContent>"
        + text("Andrena fuscipes")
        + "</w:sdtContent></w:sdt>"
        + text(", as shown in ")
        + field(" REF _Ref1 \\h ", "Table 4")
        + text("; see the ")
        + field(' HYPERLINK "https://bees.example/map" ', "distribution map")
        + text("."),
    )
    add_paragraph(
        bees,
        text("temperature ")
        + '<w:r><w:sym w:font="Wingdings" w:char="F0E0"/></w:r>'
        + text(" humidity"),
    )
    bees.styles.add_style("HTML Preformatted", 1)
    bees.add_paragraph("count = len(nests)", "HTML Preformatted")
    table = bees.add_table(2, 2, "Table Grid")
    for cell, words in zip(
        [*table.rows[0].cells, *table.rows[1].cells],
        ("Site", "Nests", "Old quarry", "77"),
        strict=True,
    ):
        cell.text = words
    layout = bees.add_table(1, 1)
    layout.cell(0, 0).text = "Layout text on the left side"
    inner = layout.cell(0, 0).add_table(1, 1)
    inner.cell(0, 0).text = "Inner cell of the nested table"
    save(bees, path)


@document(
    "right-to-left.docx",
    "python-docx",
    facts=["הספרייה פתוחה בימי שני", "يفتح المتحف أبوابه كل صباح", "Mixed text with שלום inside"],
    structure=[heading("שעות הפתיחה"), item("כרטיס בתוקף")],
    order=["שעות הפתיחה", "הספרייה פתוחה", "يفتح المتحف", "Mixed text"],
)
def write_right_to_left(path: Path) -> None:
    hours = docx.Document()
    hours.add_heading("שעות הפתיחה", 1)
    for words in (
        "הספרייה פתוחה בימי שני ורביעי.",
        "يفتح المتحف أبوابه كل صباح.",
        "Mixed text with שלום inside.",
    ):
        paragraph = hours.add_paragraph(words)
        add_xml(paragraph._p.get_or_add_pPr(), "<w:bidi/>")
    hours.add_paragraph("כרטיס בתוקף", "List Bullet")
    save(hours, path)


@document(
    "office.docx",
    "LibreOffice",
    facts=[
        "The orchard has 2,460 apple trees of thirty-one varieties",
        "Harvest begins in the third week of August",
    ],
    structure=[
        heading("Orchard Survey"),
        heading("Varieties"),
        item("Winter pearmain"),
        item("on dwarf rootstock"),
        row("Variety", "Trees", "Yield"),
        row("Early russet", "810", "9.4 t"),
        link("the plan", "https://orchard.example/plan"),
    ],
    order=["Orchard Survey", "2,460 apple trees", "on dwarf rootstock", "7.1 t", "Harvest begins"],
)
def write_office(path: Path) -> None:
    convert_with_office(OFFICE_PAGE.encode(), ".html", path, "docx:MS Word 2007 XML")
