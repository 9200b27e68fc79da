"""PowerPoint files of the bench, by python-pptx with XML of PowerPoint's own, and LibreOffice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common import convert_with_office, document, edit_zip, heading, item, link, row
from docx_files import DIAGRAM, NAMESPACES, RELATIONS
from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm, Pt

P = "http://schemas.openxmlformats.org/presentationml/2006/main"


def add_slide(deck: Any, layout: int, title: str = "") -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def add_box(slide: Any, words: str, left: float, top: float, width: float = 8) -> Any:
    box = slide.shapes.add_textbox(Cm(left), Cm(top), Cm(width), Cm(2))
    box.text_frame.text = words
    return box


@document(
    "deck.pptx",
    "python-pptx",
    facts=[
        "Three nights of field recordings",
        "27 owls were heard",
        "Remember to thank the forestry office",
        "Batteries last five hours",
        "הקלטות מהיער",
        "ask for questions",
    ],
    structure=[
        heading("Owls at Night"),
        heading("Equipment"),
        item("Two parabolic microphones"),
        item("spare batteries"),
        link("sound archive", "https://owls.example/archive"),
    ],
    absent=["Field Club footer", "Click to add text"],
    order=["Owls at Night", "Remember to thank", "Equipment", "spare batteries", "הקלטות מהיער"],
)
def write_deck(path: Path) -> None:
    deck = Presentation()
    first = add_slide(deck, 0, "Owls at Night")
    first.placeholders[1].text = "Three nights of field recordings"
    first.notes_slide.notes_text_frame.text = "Remember to thank the forestry office."
    second = add_slide(deck, 1, "Equipment")
    frame = second.placeholders[1].text_frame
    frame.text = "Two parabolic microphones"
    for words, level in (("spare batteries", 1), ("Batteries last five hours", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = words, level
    paragraph = frame.add_paragraph()
    paragraph.text = "27 owls were heard; see the "
    linked = paragraph.add_run()
    linked.text = "sound archive"
    linked.hyperlink.address = "https://owls.example/archive"
    second.notes_slide.notes_text_frame.text = "Explain the range, then\nask for questions."
    footer = etree.fromstring(
        f'<p:sp xmlns:p="{P}" {NAMESPACES}><p:nvSpPr><p:cNvPr id="90" name="Footer"/><p:cNvSpPr/>'
        '<p:nvPr><p:ph type="ftr" idx="11"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>'
        "<a:p><a:r><a:t>Field Club footer</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    second.shapes._spTree.append(footer)
    third = add_slide(deck, 1, "הקלטות מהיער")
    third.placeholders[1].text = "ינשופים נשמעו בלילה"
    add_slide(deck, 1, "Thanks")
    deck.save(path)


@document(
    "tables-and-chart.pptx",
    "python-pptx",
    facts=["Energy use fell after the insulation"],
    structure=[
        heading("Energy"),
        row("Building", "2021", "2022"),
        row("School", "310", "262"),
        row("Swimming pool", "closed"),
        row("Heat", "540.5", "455.2"),
        row("Light", "120.4", "97.3"),
    ],
    order=["Energy", "School", "Swimming pool", "Heat"],
)
def write_tables_and_chart(path: Path) -> None:
    deck = Presentation()
    slide = add_slide(deck, 5, "Energy")
    table = slide.shapes.add_table(3, 3, Cm(2), Cm(4), Cm(18), Cm(4)).table
    for line, cells in enumerate(
        (("Building", "2021", "2022"), ("School", "310", "262"), ("Swimming pool", "closed", ""))
    ):
        for column, words in enumerate(cells):
            table.cell(line, column).text = words
    table.cell(2, 1).merge(table.cell(2, 2))
    add_box(slide, "Energy use fell after the insulation", 2, 10)
    data = CategoryChartData()
    data.categories = ["Heat", "Light"]
    data.add_series("2021", (540.5, 120.4))
    data.add_series("2022", (455.2, 97.3))
    chart = add_slide(deck, 5, "Use in megawatt hours")
    chart.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(4), Cm(18), Cm(10), data)
    deck.save(path)


@document(
    "objects.pptx",
    "python-pptx",
    facts=[
        "Grouped words about the canal",
        "Nested group words",
        "Collect the samples",
        "Dry them for six hours",
        "E=mc^{2}",
    ],
    order=["Objects", "Grouped words"],
)
def write_objects(path: Path) -> None:
    deck = Presentation()
    slide = add_slide(deck, 5, "Objects")
    group = slide.shapes.add_group_shape()
    box = group.shapes.add_textbox(Cm(2), Cm(4), Cm(8), Cm(2))
    box.text_frame.text = "Grouped words about the canal"
    inner = group.shapes.add_group_shape().shapes.add_textbox(Cm(2), Cm(6), Cm(8), Cm(2))
    inner.text_frame.text = "Nested group words"
    formula = add_box(slide, "", 2, 8).text_frame.paragraphs[0]._p
    formula.append(
        etree.fromstring(
            '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
            f"{NAMESPACES}><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r>"
            "</m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m>"
        )
    )
    frame = etree.fromstring(
        f'<p:graphicFrame xmlns:p="{P}" {NAMESPACES}><p:nvGraphicFramePr>'
        '<p:cNvPr id="80" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        '<p:xfrm><a:off x="720000" y="3960000"/><a:ext cx="720000" cy="720000"/></p:xfrm>'
        '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
        '<dgm:relIds r:dm="rIdDiagram"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    slide.shapes._spTree.append(frame)
    deck.save(path)

    def edit(parts: dict[str, bytes]) -> None:
        parts["ppt/diagrams/data1.xml"] = DIAGRAM.encode()
        content = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
        types = parts["[Content_Types].xml"].decode()
        parts["[Content_Types].xml"] = types.replace(
            "</Types>",
            f'<Override PartName="/ppt/diagrams/data1.xml" ContentType="{content}"/></Types>',
        ).encode()
        name = "ppt/slides/_rels/slide1.xml.rels"
        parts[name] = (
            parts[name]
            .decode()
            .replace(
                "</Relationships>",
                f'<Relationship Id="rIdDiagram" Type="{RELATIONS}/diagramData" '
                'Target="../diagrams/data1.xml"/></Relationships>',
            )
            .encode()
        )

    edit_zip(path, edit)


@document(
    "hidden.pptx",
    "python-pptx",
    facts=["The visible slide names 53 lighthouses", "White words on a dark shape"],
    absent=[
        "words of the hidden slide",
        "beside the slide",
        "hidden shape",
        "tiny words",
        "white on the white slide",
    ],
    order=["The visible slide", "White words on"],
)
def write_hidden(path: Path) -> None:
    deck = Presentation()
    slide = add_slide(deck, 5, "Lighthouses")
    add_box(slide, "The visible slide names 53 lighthouses", 2, 4, 14)
    dark = add_box(slide, "White words on a dark shape", 2, 7, 14)
    dark.fill.solid()
    dark.fill.fore_color.rgb = RGBColor(20, 20, 60)
    dark.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)
    add_box(slide, "beside the slide", 90, 4)
    add_box(slide, "hidden shape", 2, 9)._element.nvSpPr.cNvPr.set("hidden", "1")
    tiny = add_box(slide, "tiny words", 2, 11)
    tiny.text_frame.paragraphs[0].runs[0].font.size = Pt(1)
    white = add_box(slide, "white on the white slide", 2, 13)
    white.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)
    other = add_slide(deck, 5, "words of the hidden slide")
    other._element.set("show", "0")
    deck.save(path)


@document(
    "order.pptx",
    "python-pptx",
    facts=["First step: open the valve", "Fourth step: close the lid"],
    structure=[heading("Four Steps")],
    order=["Four Steps", "First step", "Second step", "Third step", "Fourth step"],
)
def write_order(path: Path) -> None:
    deck = Presentation()
    slide = add_slide(deck, 5)
    for words, top in (
        ("Fourth step: close the lid", 14),
        ("Second step: wait a minute", 8),
        ("Third step: drain the tank", 11),
        ("First step: open the valve", 5),
    ):
        add_box(slide, words, 2, top)
    slide.shapes.title.text = "Four Steps"
    deck.save(path)


@document(
    "office.pptx",
    "LibreOffice",
    facts=["Three nights of field recordings", "27 owls were heard", "Remember to thank"],
    structure=[heading("Owls at Night"), heading("Equipment"), item("Two parabolic microphones")],
    order=["Owls at Night", "Equipment", "Two parabolic microphones"],
)
def write_office(path: Path) -> None:
    write_deck(path)
    filters = ("odp", "pptx:Impress MS PowerPoint 2007 XML")
    convert_with_office(path.read_bytes(), ".pptx", path, *filters)
