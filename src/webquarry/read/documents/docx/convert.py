"""A Word document (DOCX) comes in, Markdown goes out, or a refusal that says why none can be made."""

from __future__ import annotations

from webquarry.read.documents import prose
from webquarry.read.documents.docx.body import Body
from webquarry.read.documents.docx.story import Full, Story
from webquarry.read.documents.models import DocumentText, Refusal
from webquarry.read.documents.office import DAMAGED, Package, child_of, value_of
from webquarry.read.documents.properties import read_properties
from webquarry.read.text.delimiters import defuse_prose

_FULL = "The document has more text than is read at once; its end is missing."
_WHITE = frozenset({"ffffff", "auto"})


def convert(body: bytes, url: str) -> DocumentText:
    """The document; relative links in it are relative to `url`."""
    package = Package(body)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    content = child_of(root, "w:body")
    if content is None:
        raise Refusal(DAMAGED)
    story = Story(package, main, url)
    ground = value_of(child_of(root, "w:background"), "color")
    story.plain_ground = ground is None or ground.lower() in _WHITE
    writer = Body(story)
    lost: tuple[str, ...] = ()
    try:
        writer.read(content)
        writer.notes()
    except Full:
        lost = (_FULL,)
    markdown = defuse_prose(writer.text(), story.removed)
    said = read_properties(package, "docx", story.removed)
    if not markdown.strip():
        raise Refusal("has no text that can be seen")
    return DocumentText(
        markdown,
        title=said.title or prose.clean_name(writer.title, story.removed),
        author=said.author,
        published=said.published,
        modified=said.modified,
        removed={reason: count for reason, count in story.removed.items() if count},
        notes=lost,
        lost=lost,
    )
