"""Office files: text in the colour of what it stands on, or in none, is not given; text that can be
told from its ground is.
"""

from __future__ import annotations

import pytest

from tests.read.formats.office_writer import docx_parts, paragraph, part, style, text_run, zipped
from webquarry.read.documents.docx.convert import convert
from webquarry.read.documents.models import DocumentText

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
