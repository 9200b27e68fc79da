"""A Word document (DOCX) comes in, Markdown goes out, or a refusal that says why there is none."""

from __future__ import annotations

from webquarry.read.documents import prose
from webquarry.read.documents.docx.body import BodyWriter
from webquarry.read.documents.docx.context import DocxContext, TooMuchText
from webquarry.read.documents.models import DocumentText, Refusal
from webquarry.read.documents.office import DAMAGED, Package, child_of, child_value
from webquarry.read.documents.properties import read_properties
from webquarry.read.text.delimiters import defuse_prose

_TOO_MUCH = "The document has more text than is read at once; its end is missing."
_WHITE = frozenset({"ffffff", "auto"})


def convert(body: bytes, url: str) -> DocumentText:
    """The document; relative links in it are relative to `url`."""
    package = Package(body)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    content = child_of(root, "w:body")
    if content is None:
        raise Refusal(DAMAGED)
    context = DocxContext(package, main, url)
    background = child_value(root, "w:background", "color")
    context.is_page_white = background is None or background.lower() in _WHITE
    writer = BodyWriter(context)
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
