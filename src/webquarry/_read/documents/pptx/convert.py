"""A presentation (PPTX) comes in, Markdown goes out, or a refusal that says why none can be made.

Slides come in the order of the presentation, which need not be that of their file names. Where a
slide begins, a line `[slide 3]` says so, as page marks do in a PDF; what stands before the first
mark is on slide 1.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from webquarry._read.documents import prose
from webquarry._read.documents.models import LONGEST_TEXT, DocumentText, Refusal
from webquarry._read.documents.office import (
    DAMAGED,
    Element,
    Package,
    child_of,
    children_of,
    name_of,
    value_of,
)
from webquarry._read.documents.pptx.look import Looks
from webquarry._read.documents.pptx.slide import SlideWriter
from webquarry._read.documents.properties import read_properties
from webquarry._read.markdown.blocks import Blocks
from webquarry._read.markdown.links import Links
from webquarry._read.text.delimiters import defuse_prose

_MOST_SLIDES = 2_000


def convert(body: bytes, url: str) -> DocumentText:
    """The presentation; relative links in it are relative to `url`."""
    package = Package(body)
    main = package.main_part("ppt/presentation.xml")
    root = package.xml(main)
    if root is None:
        raise Refusal(DAMAGED)
    relations = package.relations(main)
    parts: list[str] = []  # of the slides, in order
    for element in children_of(child_of(root, "p:sldIdLst"), "p:sldId"):
        # the element has an `id` of its own, too, without a namespace
        identity = ""
        for key, value in element.items():
            if name_of(key) == "r:id":
                identity = str(value)
                break
        relation = relations.get(identity)
        if relation is not None and not relation.external:
            parts.append(relation.target)
    writer = _PresentationWriter(package, root, url)
    writer.write(parts)
    removed = writer.removed
    markdown = defuse_prose(writer.out.text(), removed)
    if not markdown.strip():
        raise Refusal("has no text that can be seen")
    properties = read_properties(package, "pptx", removed)
    return DocumentText(
        markdown,
        title=properties.title or prose.clean_name(writer.title, removed),
        author=properties.author,
        published=properties.published,
        modified=properties.modified,
        removed={reason: count for reason, count in removed.items() if count},
        notes=(*writer.lost, *writer.notes),
        lost=tuple(writer.lost),
    )


class _PresentationWriter:
    """Writes the slides one after the other."""

    def __init__(self, package: Package, root: Element, url: str) -> None:
        self._package = package
        size = child_of(root, "p:sldSz")
        self._size = (0, 0)  # height and width of a slide, where they are not known
        with suppress(ValueError):
            height = int(value_of(size, "cy") or "")
            width = int(value_of(size, "cx") or "")
            self._size = (height, width)
        self._links = Links(url)
        self._looks = Looks(package)
        self.out = Blocks()
        self.removed: Counter[str] = Counter()
        self.title = ""
        self.notes: list[str] = []
        self.lost: list[str] = []

    def write(self, parts: list[str]) -> None:
        """Write the slides in these parts of the file."""
        if len(parts) > _MOST_SLIDES:
            self.lost.append(
                f"The presentation has {len(parts):,} slides; only the first {_MOST_SLIDES:,} "
                "were read."
            )
        hidden = 0
        length = 0
        for number, part in enumerate(parts[:_MOST_SLIDES], 1):
            root = self._package.xml(part)
            if root is None:
                continue
            if root.get("show") in ("0", "false"):
                hidden += 1
                continue
            text = self._write_slide(root, part)
            length += len(text)
            if length > LONGEST_TEXT:
                self.lost.append(
                    "The presentation has more text than is read at once; it ends before slide "
                    f"{number:,}."
                )
                break
            if text and number > 1:
                self.out.add(f"[slide {number}]")
            if text:
                self.out.add(text)
        if hidden:
            self.notes.append(f"Hidden slides that were left out: {hidden:,}.")

    def _write_slide(self, root: Element, part: str) -> str:
        """One slide as Markdown."""
        blocks = Blocks()
        writer = SlideWriter(
            self._package,
            part,
            self._links,
            blocks,
            self.removed,
            self._looks,
        )
        writer.write(root, self._size)
        self.title = self.title or writer.title
        return blocks.text()
