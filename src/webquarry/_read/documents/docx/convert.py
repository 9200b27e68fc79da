"""A Word document (DOCX) comes in, Markdown goes out, or a refusal that says why there is none."""

from __future__ import annotations

from webquarry._read.documents import prose
from webquarry._read.documents.docx.body import BodyWriter
from webquarry._read.documents.docx.context import DocxContext, TooMuchText
from webquarry._read.documents.docx.shading import colour_of_text, write_colour
from webquarry._read.documents.models import DocumentText, Refusal
from webquarry._read.documents.office import DAMAGED, Package, child_of, value_of
from webquarry._read.documents.properties import read_properties
from webquarry._read.style.colours import WHITE
from webquarry._read.text.delimiters import defuse_prose

_TOO_MUCH = "The document has more text than is read at once; its end is missing."


def convert(body: bytes, url: str) -> DocumentText:
    """The document; relative links in it are relative to `url`."""
    package = Package(body)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    content = child_of(root, "w:body")
    if content is None:
        raise Refusal(DAMAGED)
    context = DocxContext(package, main, url)
    background = child_of(root, "w:background")
    if background is not None and len(background):
        context.page_colour = None  # a picture or a pattern
    elif background is not None:
        colour = value_of(background, "color") or ""
        kept = write_colour(background).split(";")
        context.page_colour = colour_of_text(";".join([colour, *kept[1:]]), context.theme) or WHITE
    writer = BodyWriter(context, context.page_colour)
    lost: tuple[str, ...] = ()
    try:
        writer.read(content)
        writer.write_notes()
    except TooMuchText:
        lost = (_TOO_MUCH,)
    removed = context.removed
    markdown = defuse_prose(writer.text(), removed)
    properties = read_properties(package, "docx", removed)
    if not markdown.strip():
        raise Refusal("has no text that can be seen")
    return DocumentText(
        markdown,
        title=properties.title or prose.clean_name(writer.title, removed),
        author=properties.author,
        published=properties.published,
        modified=properties.modified,
        removed={reason: count for reason, count in removed.items() if count},
        notes=lost,
        lost=lost,
    )
