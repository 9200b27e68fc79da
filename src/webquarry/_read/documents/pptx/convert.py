"""Convert a presentation (PPTX) to Markdown.

Slides are in the order of the presentation, which may differ from that of their file names. A line
`[slide 3]` marks the start of a slide; text before the first mark is on slide 1.
"""

from __future__ import annotations

from collections import Counter

from webquarry._read.documents.models import LONGEST_TEXT, Refusal
from webquarry._read.documents.office import (
    DAMAGED,
    Element,
    Package,
    children_of,
    find_child,
    name_of,
    parse_number,
    read_properties,
    value_of,
)
from webquarry._read.documents.pptx.slide import SlideWriter
from webquarry._read.documents.text import clean_name
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown.blocks import Blocks
from webquarry._read.markdown.links import Links
from webquarry._read.text.delimiters import defuse_prose

_MOST_SLIDES = 2_000


def convert(body: bytes, url: str) -> ConvertedDocument:
    """Return the presentation. Relative links are resolved against `url`."""
    package = Package(body)
    main = package.main_part("ppt/presentation.xml")
    root = package.xml(main)
    if root is None:
        raise Refusal(DAMAGED)
    parts = _list_slides(package, main, root)
    size_element = find_child(root, "p:sldSz")
    height = parse_number(value_of(size_element, "cy"), most_digits=10) or 0
    width = parse_number(value_of(size_element, "cx"), most_digits=10) or 0
    links = Links(url)
    removed: Counter[str] = Counter()
    lost: list[str] = []
    if len(parts) > _MOST_SLIDES:
        lost.append(
            f"The presentation has {len(parts):,} slides; "
            f"only the first {_MOST_SLIDES:,} were read."
        )
    title = ""
    out = Blocks()
    hidden = length = 0
    for number, part in enumerate(parts[:_MOST_SLIDES], 1):
        slide = package.xml(part)
        if slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
            continue
        blocks = Blocks()
        writer = SlideWriter(package, part, links, blocks, removed)
        writer.write(slide, (height, width))
        title = title or writer.title
        text = blocks.text()
        length += len(text)
        if length > LONGEST_TEXT:
            lost.append(
                "The presentation has more text than is read at once; it ends before slide "
                f"{number:,}."
            )
            break
        if text and number > 1:
            out.add(f"[slide {number}]")
        if text:
            out.add(text)
    markdown = defuse_prose(out.text(), removed)
    if not markdown.strip():
        raise Refusal("has no text that can be seen")
    notes = [f"Hidden slides that were left out: {hidden:,}."] if hidden else []
    properties = read_properties(package, "pptx", removed)
    return ConvertedDocument(
        markdown,
        title=properties.title or clean_name(title, removed),
        author=properties.author,
        published=properties.published,
        modified=properties.modified,
        removed={reason: count for reason, count in removed.items() if count},
        notes=(*lost, *notes),
        lost=tuple(lost),
    )


def _list_slides(package: Package, main: str, root: Element) -> list[str]:
    """Return the parts of the slides in order."""
    relations = package.relations(main)
    parts: list[str] = []
    for element in children_of(find_child(root, "p:sldIdLst"), "p:sldId"):
        # the element also has an `id` without a namespace
        identities = [str(value) for key, value in element.items() if name_of(key) == "r:id"]
        relation = relations.get(identities[0]) if identities else None
        if relation is not None and not relation.external:
            parts.append(relation.target)
    return parts
