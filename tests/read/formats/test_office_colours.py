"""Office files: white text on a white page and text without ink are dropped."""

from __future__ import annotations

import pytest

from tests.read.formats.office_writer import (
    docx_parts,
    paragraph,
    part,
    pptx,
    relations,
    shape,
    style,
    text_run,
    zipped,
)
from webquarry._read.documents.docx import convert
from webquarry._read.documents.pptx import convert as convert_slides
from webquarry._read.format import ConvertedDocument

STYLES = part(
    "w:styles",
    style("Night", "Night", '<w:pPr><w:shd w:val="clear" w:fill="202020"/></w:pPr>')
    + style("Pale", "Pale", '<w:rPr><w:color w:val="FEFEFE"/></w:rPr>', "character"),
)


def read(body: str, before: str = "", styles: str = STYLES) -> ConvertedDocument:
    parts = docx_parts(
        paragraph("Seen.") + body,
        {"word/styles.xml": styles},
        {"rId8": ("styles", "styles.xml")},
        before,
    )
    return convert(zipped(parts), "")


def shaded(look: str, settings: str = "", style: str = "") -> str:
    return paragraph(text_run("In question.", look), settings=settings, style=style)


def cell(fill: str, look: str) -> str:
    content = paragraph(text_run("In question.", look))
    return (
        f'<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="{fill}"/></w:tcPr>{content}</w:tc>'
        f"<w:tc>{paragraph('x')}</w:tc></w:tr></w:tbl>"
    )


def box(fill: str, look: str) -> str:
    content = paragraph(text_run("In question.", look))
    return (
        "<w:p><w:r><w:drawing><wps:wsp><wps:spPr><a:solidFill>"
        f"<a:srgbClr val='{fill}'/></a:solidFill></wps:spPr><wps:txbx><w:txbxContent>{content}"
        "</w:txbxContent></wps:txbx></wps:wsp></w:drawing></w:r></w:p>"
    )


WHITE = '<w:color w:val="FFFFFF"/>'
HIDDEN = {
    "white": shaded(WHITE),
    "style of the run": shaded('<w:rStyle w:val="Pale"/>'),
    "color of the page": shaded('<w:color w:val="FFFFFF" w:themeColor="background1"/>'),
    "no fill": shaded("<textFill><noFill/></textFill>"),
}
SHOWN = {
    "white with shading": shaded(WHITE + '<w:shd w:val="clear" w:fill="203040"/>'),
    "white with highlight": shaded(WHITE + '<w:highlight w:val="red"/>'),
    "white on a shaded style": shaded(WHITE, style="Night"),
    "white on a shaded paragraph": shaded(WHITE, '<w:shd w:val="clear" w:fill="203040"/>'),
    "white in a shaded cell": cell("202020", WHITE),
    "white in a box": box("202020", WHITE),
    "auto": shaded('<w:color w:val="auto"/>'),
    "white in a cell that a table style may paint": cell("FFFFFF", WHITE),
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_invisible_text_is_dropped_and_counted(body: str) -> None:
    document = read(body)

    assert "question" not in document.markdown
    assert "Seen." in document.markdown
    assert document.removed == {"same colour": 1}


@pytest.mark.parametrize("body", SHOWN.values(), ids=SHOWN)
def test_visible_text_is_returned(body: str) -> None:
    document = read(body)

    assert "In question." in document.markdown
    assert document.removed == {}


def test_white_text_on_a_colored_page_is_returned() -> None:
    night = '<w:background w:color="000000"/>'

    assert "In question." in read(shaded(WHITE), night).markdown


def test_default_run_properties_are_inherited() -> None:
    defaults = part(
        "w:styles",
        f"<w:docDefaults><w:rPrDefault><w:rPr>{WHITE}</w:rPr></w:rPrDefault></w:docDefaults>",
    )
    document = read(shaded('<w:color w:val="112233"/>'), styles=defaults)

    assert document.markdown == "In question."


def fill(colour: str, inside: str = "") -> str:
    kind = "srgbClr" if len(colour) == 6 else "schemeClr"
    return f"<a:solidFill><a:{kind} val='{colour}'>{inside}</a:{kind}></a:solidFill>"


def words(look: str = "") -> str:
    return f"<a:p><a:r><a:rPr>{look}</a:rPr><a:t>In question.</a:t></a:r></a:p>"


def filled(
    body: str, colour: str = "", placeholder: str = "", place: tuple[int, int] = (500, 300)
) -> str:
    """A shape with a fill of its own, if it has one."""
    written = shape(body, placeholder=placeholder, place=place)
    return written.replace("</p:spPr>", f"{fill(colour) if colour else ''}</p:spPr>", 1)


def panel(colour: str) -> str:
    """A rectangle as large as the slide."""
    where = "<a:xfrm><a:off x='0' y='0'/><a:ext cx='9144000' cy='6858000'/></a:xfrm>"
    return (
        "<p:sp><p:nvSpPr><p:cNvPr id='3' name='x'/><p:nvPr/></p:nvSpPr>"
        f"<p:spPr>{where}{fill(colour)}</p:spPr></p:sp>"
    )


PICTURE = (
    "<p:pic><p:nvPicPr><p:cNvPr id='4' name='x'/><p:nvPr/></p:nvPicPr><p:spPr><a:xfrm>"
    "<a:off x='0' y='0'/><a:ext cx='9144000' cy='6858000'/></a:xfrm></p:spPr></p:pic>"
)


def show(
    *shapes: str, background: str = "", layout: str = "", master: str = ""
) -> ConvertedDocument:
    def sheet(root: str, inside: str, ground: str = "", more: str = "") -> str:
        tree = f"<p:cSld>{ground}<p:spTree>{inside}</p:spTree></p:cSld>"
        return part(root, f"{tree}{more}")

    ground = f"<p:bg><p:bgPr>{fill(background)}</p:bgPr></p:bg>" if background else ""
    seen = shape(
        "<a:p><a:r><a:rPr><a:solidFill><a:srgbClr val='777777'/></a:solidFill></a:rPr><a:t>Seen.</a:t></a:r></a:p>",
        place=(0, 0),
    )
    mapping = (
        "<p:clrMap bg1='lt1' tx1='dk1' bg2='lt2' tx2='dk2' accent1='accent1' accent2='accent2'/>"
    )
    file = pptx(
        [sheet("p:sld", "".join(shapes) + seen, ground)],
        [{"rId1": ("slideLayout", "../slideLayouts/slideLayout1.xml")}],
        {
            "ppt/slideLayouts/slideLayout1.xml": sheet("p:sldLayout", layout),
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(
                {"rId1": ("slideMaster", "../slideMasters/slideMaster1.xml")}
            ),
            "ppt/slideMasters/slideMaster1.xml": sheet("p:sldMaster", master, "", mapping),
        },
    )
    return convert_slides(file, "")


GROUP = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9' name='g'/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}</p:grpSp>"
HIDDEN_ON_SLIDES = {
    "white": show(filled(words(fill("FFFFFF")))),
    "color of the page": show(filled(words(fill("bg1")))),
    "white beside a dark shape": show(
        filled(words(fill("FFFFFF")), place=(800, 300)), filled("", "203040")
    ),
    "no fill": show(filled(words("<a:noFill/>"))),
}
SHOWN_ON_SLIDES = {
    "plain": show(filled(words())),
    "white on a dark shape": show(filled(words(fill("FFFFFF")), "203040")),
    "white on a dark background": show(filled(words(fill("FFFFFF"))), background="203040"),
    "white on a panel": show(panel("203040"), filled(words(fill("FFFFFF")))),
    "white on a panel of the layout": show(filled(words(fill("FFFFFF"))), layout=panel("203040")),
    "white on a panel of the master": show(filled(words(fill("FFFFFF"))), master=panel("203040")),
    "white on a picture": show(PICTURE, filled(words(fill("FFFFFF")))),
    "white in a group with a dark shape": show(
        GROUP.format(panel("203040") + filled(words(fill("FFFFFF"))))
    ),
    "an outline only": show(filled(words(f"<a:ln>{fill('000000')}</a:ln><a:noFill/>"))),
}


@pytest.mark.parametrize("document", HIDDEN_ON_SLIDES.values(), ids=HIDDEN_ON_SLIDES)
def test_invisible_text_of_a_slide_is_dropped_and_counted(document: ConvertedDocument) -> None:
    assert "question" not in document.markdown
    assert "Seen." in document.markdown
    assert document.removed == {"same colour": 1}


@pytest.mark.parametrize("document", SHOWN_ON_SLIDES.values(), ids=SHOWN_ON_SLIDES)
def test_visible_text_of_a_slide_is_returned(document: ConvertedDocument) -> None:
    assert "In question." in document.markdown
    assert document.removed == {}
