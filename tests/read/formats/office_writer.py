"""A small writer of Office files for tests: pieces of XML go in, a zip whose bytes depend on
nothing else comes out.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "r": f"{_OFFICE}/relationships",
        "m": f"{_OFFICE}/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)
_CORE = (
    f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>{title}</dc:title><dc:creator>{author}'
    "</dc:creator>"
    "<dcterms:created>{created}</dcterms:created><dcterms:modified>{modified}</dcterms:modified>"
    "</cp:coreProperties>"
)
Link = tuple[
    str, str
]  # the kind of a relation, and its target; one with a colon leads out of the file


def zipped(parts: Mapping[str, str | bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """A zip with these members, in this order, all of the same date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in parts.items():
            member = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            member.compress_type = compression
            archive.writestr(member, data)
    return buffer.getvalue()


def part(root: str, inside: str, attributes: str = "") -> str:
    """A part of XML with every namespace we use."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {NAMESPACES} {attributes}>{inside}'
        f"</{root}>"
    )


def relations(links: Mapping[str, Link]) -> str:
    outside = ' TargetMode="External"'
    found = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/relationships/{kind}" '
        f'Target="{target}"{outside * (":" in target)}/>'
        for name, (kind, target) in links.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{found}</Relationships>'


def properties(title: str, author: str = "", created: str = "", modified: str = "") -> str:
    return _CORE.format(title=title, author=author, created=created, modified=modified)


def docx_parts(
    body: str,
    parts: Mapping[str, str] | None = None,
    links: Mapping[str, Link] | None = None,
    before: str = "",
) -> dict[str, str | bytes]:
    """The parts of a Word document with this body."""
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}),
        "word/document.xml": part("w:document", f"{before}<w:body>{body}</w:body>"),
        "word/_rels/document.xml.rels": relations(links or {}),
        **(parts or {}),
    }


def docx(
    body: str, parts: Mapping[str, str] | None = None, links: Mapping[str, Link] | None = None
) -> bytes:
    return zipped(docx_parts(body, parts, links))


def paragraph(*runs: str, style: str = "", settings: str = "") -> str:
    """A paragraph of Word; a run that is no XML is plain text."""
    inside = "".join(run if run.startswith("<") else text_run(run) for run in runs)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{settings}</w:pPr>{inside}</w:p>"


def text_run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(identity: str, name: str, inside: str = "", kind: str = "paragraph") -> str:
    return (
        f'<w:style w:type="{kind}" w:styleId="{identity}"><w:name w:val="{name}"/>{inside}'
        "</w:style>"
    )


def pptx(
    slides: list[str],
    links: list[dict[str, Link]] | None = None,
    parts: Mapping[str, str] | None = None,
    order: str = "",
) -> bytes:
    """A presentation; `order` names slides by their numbers, such as "21"."""
    places = [int(number) for number in order] if order else list(range(1, len(slides) + 1))
    listed = "".join(f'<p:sldId id="{255 + place}" r:id="rId{place}"/>' for place in places)
    found: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": relations({"rId1": ("officeDocument", "ppt/presentation.xml")}),
        "ppt/presentation.xml": part(
            "p:presentation",
            f'<p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>',
        ),
        "ppt/_rels/presentation.xml.rels": relations(
            {
                f"rId{place}": ("slide", f"slides/slide{place}.xml")
                for place in range(1, len(slides) + 1)
            }
        ),
    }
    for place, slide in enumerate(slides, 1):
        found[f"ppt/slides/slide{place}.xml"] = slide
        if links and links[place - 1]:
            found[f"ppt/slides/_rels/slide{place}.xml.rels"] = relations(links[place - 1])
    return zipped({**found, **(parts or {})})


def slide(*shapes: str, attributes: str = "") -> str:
    return part("p:sld", f"<p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld>", attributes)


def shape(
    *paragraphs: str, placeholder: str = "", place: tuple[int, int] | None = None, drawn: str = ""
) -> str:
    """A shape with text; its place is given from the top and from the left, in thousandths of a
    slide.
    """
    which = f"<p:ph {placeholder}/>" if placeholder else ""
    where = (
        f'<a:xfrm><a:off x="{place[1] * 9144}" y="{place[0] * 6858}"/><a:ext cx="914400" '
        'cy="685800"/></a:xfrm>'
        if place
        else ""
    )
    inside = "".join(one if one.startswith("<") else slide_paragraph(one) for one in paragraphs)
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" '
        f"{drawn}/><p:nvPr>{which}</p:nvPr></p:nvSpPr><p:spPr>{where}</p:spPr>"
        f"<p:txBody><a:bodyPr/>{inside}</p:txBody></p:sp>"
    )


def slide_paragraph(text: str, settings: str = "", look: str = "") -> str:
    return f"<a:p>{settings}<a:r><a:rPr {look}/><a:t>{text}</a:t></a:r></a:p>"
