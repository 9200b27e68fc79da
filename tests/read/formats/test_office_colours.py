"""Office files: text in the colour of what it stands on, or in none, is not given; text that can be
told from its ground is.
"""

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
from webquarry._read.documents.docx.convert import convert
from webquarry._read.documents.models import DocumentText
from webquarry._read.documents.pptx.convert import convert as convert_slides

THEME = part(
    "a:theme",
    "<a:themeElements><a:clrScheme name='x'><a:dk1><a:sysClr val='windowText' lastClr='000000'/>"
    "</a:dk1><a:lt1><a:sysClr val='window' lastClr='FFFFFF'/></a:lt1>"
    "<a:accent1><a:srgbClr val='4472C4'/></a:accent1><a:accent2><a:srgbClr val='101010'/>"
    "</a:accent2></a:clrScheme></a:themeElements>",
)
STYLES = part(
    "w:styles",
    style("Night", "Night", '<w:pPr><w:shd w:val="clear" w:fill="202020"/></w:pPr>')
    + style("Pale", "Pale", '<w:rPr><w:color w:val="FEFEFE"/></w:rPr>', "character"),
)


def read(body: str, before: str = "", styles: str = STYLES) -> DocumentText:
    parts = docx_parts(
        paragraph("Seen.") + body,
        {"word/theme/theme1.xml": THEME, "word/styles.xml": styles},
        {"rId9": ("theme", "theme/theme1.xml"), "rId8": ("styles", "styles.xml")},
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


RED, ALMOST_RED = '<w:color w:val="FF0000"/>', '<w:color w:val="F80505"/>'
WHITE = '<w:color w:val="FFFFFF"/>'
HIDDEN = {
    "run": shaded(RED + '<w:shd w:val="clear" w:fill="FF0000"/>'),
    "nearly the same": shaded(ALMOST_RED + '<w:shd w:val="clear" w:fill="FF0000"/>'),
    "highlight": shaded(RED + '<w:highlight w:val="red"/>'),
    "solid pattern": shaded(RED + '<w:shd w:val="solid" w:color="FF0000" w:fill="FFFFFF"/>'),
    "paragraph": shaded(RED, '<w:shd w:val="clear" w:fill="FF0000"/>'),
    "style of the paragraph": shaded('<w:color w:val="202020"/>', style="Night"),
    "style of the run": shaded('<w:rStyle w:val="Pale"/>'),
    "cell": cell("FF0000", RED),
    "white cell": cell("FFFFFF", WHITE),
    "text box": box("FF0000", RED),
    "theme": shaded('<w:color w:val="000000" w:themeColor="background1"/>'),
    "theme on theme": shaded(
        '<w:color w:val="000000" w:themeColor="accent1" w:themeTint="99"/>'
        '<w:shd w:val="clear" w:fill="FFFFFF" w:themeFill="accent1" w:themeFillTint="99"/>'
    ),
    "fill without ink": shaded("<textFill><noFill/></textFill>"),
    "fill that is transparent": shaded(
        "<textFill><solidFill><srgbClr val='000000'><alpha val='100000'/></srgbClr></solidFill></textFill>"
    ),
}
SHOWN = {
    "another shading": shaded(RED + '<w:shd w:val="clear" w:fill="00FF00"/>'),
    "white on a style": shaded(WHITE, style="Night"),
    "white on a cell": cell("202020", WHITE),
    "white in a box": box("202020", WHITE),
    "auto on black": shaded('<w:color w:val="auto"/>', '<w:shd w:val="clear" w:fill="000000"/>'),
    "no colour on black": shaded("", '<w:shd w:val="clear" w:fill="000000"/>'),
    "red on a pattern": shaded(RED + '<w:shd w:val="pct50" w:color="FF0000" w:fill="FFFFFF"/>'),
    "highlight": shaded(RED + '<w:highlight w:val="yellow"/>'),
    "theme": shaded('<w:color w:val="FFFFFF" w:themeColor="accent1"/>'),
    "dark theme on light theme": shaded(
        '<w:color w:val="000000" w:themeColor="accent1" w:themeShade="80"/>'
        '<w:shd w:val="clear" w:fill="FFFFFF" w:themeFill="accent1" w:themeFillTint="33"/>'
    ),
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_text_in_the_colour_of_its_ground_is_dropped_and_counted(body: str) -> None:
    document = read(body)

    assert "question" not in document.markdown
    assert "Seen." in document.markdown
    assert document.removed == {"same colour": 1}


@pytest.mark.parametrize("body", SHOWN.values(), ids=SHOWN)
def test_text_of_another_colour_stays(body: str) -> None:
    document = read(body)

    assert "In question." in document.markdown
    assert document.removed == {}


def test_the_colour_of_the_page_counts() -> None:
    night = '<w:background w:color="000000"/>'

    assert "question" not in read(shaded('<w:color w:val="050505"/>'), night).markdown
    assert "In question." in read(shaded(WHITE), night).markdown


def test_the_colour_of_all_text_counts() -> None:
    defaults = part(
        "w:styles",
        f"<w:docDefaults><w:rPrDefault><w:rPr>{WHITE}</w:rPr></w:rPrDefault></w:docDefaults>",
    )
    document = read(shaded('<w:color w:val="112233"/>'), styles=defaults)

    assert document.markdown == "In question."


def fill(colour: str, inside: str = "") -> str:
    kind = "srgbClr" if len(colour) == 6 else "schemeClr"
    return f"<a:solidFill><a:{kind} val='{colour}'>{inside}</a:{kind}></a:solidFill>"


def words(look: str = "", styles: str = "") -> str:
    return f"{styles}<a:p><a:r><a:rPr>{look}</a:rPr><a:t>In question.</a:t></a:r></a:p>"


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
MASTER_STYLES = (
    f"<p:txStyles><p:titleStyle><a:lvl1pPr><a:defRPr>{fill('bg1')}</a:defRPr></a:lvl1pPr>"
    "</p:titleStyle></p:txStyles>"
)


def show(
    *shapes: str, background: str = "", layout: str = "", master: str = "", styles: str = ""
) -> DocumentText:
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
            "ppt/slideMasters/slideMaster1.xml": sheet("p:sldMaster", master, "", mapping + styles),
            "ppt/slideMasters/_rels/slideMaster1.xml.rels": relations(
                {"rId1": ("theme", "../theme/theme1.xml")}
            ),
            "ppt/theme/theme1.xml": THEME,
        },
    )
    return convert_slides(file, "")


TITLE = 'type="title"'
GROUP = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9' name='g'/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}</p:grpSp>"
HIDDEN_ON_SLIDES = {
    "no opacity": show(filled(words(fill("000000", "<a:alpha val='0'/>")))),
    "hardly any": show(filled(words(fill("000000", "<a:alpha val='2000'/>")))),
    "no fill": show(filled(words("<a:noFill/>"))),
    "white on white": show(filled(words(fill("FFFFFF")))),
    "theme on white": show(filled(words(fill("bg1")))),
    "the background": show(filled(words(fill("113355"))), background="113355"),
    "the background by theme": show(filled(words(fill("4472C4"))), background="accent1"),
    "its own shape": show(filled(words(fill("4472C4")), "4472C4")),
    "lighter theme on the same": show(
        filled(words(fill("accent1", "<a:lumMod val='60000'/><a:lumOff val='40000'/>")), "8FAADC")
    ),
    "a panel behind it": show(panel("223344"), filled(words(fill("223344")))),
    "a panel drawn over it": show(filled(words()), panel("FFFFFF").replace("y='0'", "y='900000'")),
    "a panel of the master": show(filled(words(fill("223344"))), master=panel("223344")),
    "a list style": show(
        filled(
            words(
                "",
                f"<a:lstStyle><a:lvl1pPr><a:defRPr>{fill('FFFFFF')}</a:defRPr></a:lvl1pPr></a:lstStyle>",
            )
        )
    ),
    "the style of titles": show(filled(words(), placeholder=TITLE), styles=MASTER_STYLES),
    "black on the usual text": show(filled(words(), "000000")),
}
SHOWN_ON_SLIDES = {
    "plain": show(filled(words())),
    "a see-through panel over it": show(
        filled(words()), panel("FFFFFF").replace("'></a:srgb", "'><a:alpha val='30000'/></a:srgb")
    ),
    "white on a dark shape": show(filled(words(fill("FFFFFF")), "203040")),
    "white on a dark background": show(filled(words(fill("FFFFFF"))), background="203040"),
    "white on a panel": show(panel("203040"), filled(words(fill("FFFFFF")))),
    "white on a panel of the layout": show(filled(words(fill("FFFFFF"))), layout=panel("203040")),
    "white on a picture": show(PICTURE, filled(words(fill("FFFFFF")))),
    "white in a group with a dark shape": show(
        GROUP.format(panel("203040") + filled(words(fill("FFFFFF"))))
    ),
    "half opaque": show(filled(words(fill("000000", "<a:alpha val='50000'/>")))),
    "an outline only": show(filled(words(f"<a:ln>{fill('000000')}</a:ln><a:noFill/>"))),
    "a panel drawn later elsewhere": show(filled(words(fill("224466")), place=(100, 100))),
    "titles in white on a dark master": show(
        filled(words(), placeholder=TITLE), styles=MASTER_STYLES, master=panel("203040")
    ),
    "a shape that is see-through": show(
        filled(words(fill("000000")), "000000").replace(
            "<a:srgbClr val='000000'></a:srgbClr></a:solidFill></p:spPr>",
            "<a:srgbClr val='000000'><a:alpha val='10000'/></a:srgbClr></a:solidFill></p:spPr>",
        )
    ),
}


@pytest.mark.parametrize("document", HIDDEN_ON_SLIDES.values(), ids=HIDDEN_ON_SLIDES)
def test_text_of_a_slide_that_nobody_sees_is_dropped_and_counted(document: DocumentText) -> None:
    assert "question" not in document.markdown
    assert "Seen." in document.markdown
    assert document.removed == {"same colour": 1}


@pytest.mark.parametrize("document", SHOWN_ON_SLIDES.values(), ids=SHOWN_ON_SLIDES)
def test_text_of_a_slide_that_is_seen_stays(document: DocumentText) -> None:
    assert "In question." in document.markdown
    assert document.removed == {}
