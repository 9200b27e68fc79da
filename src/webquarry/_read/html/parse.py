"""Text of a page -> a tree of elements, in time and memory that no page can drive up.

libxml2 is given UTF-8 bytes: it ends a document silently at a byte that it cannot convert. It stops
at 2,048 levels and takes quadratic time over the attributes of one tag, so a page that goes that
far is rewritten first (`prepare.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from webquarry._read.html.page_info import (
    PageInfo,
    StatedElements,
    collect_page_info,
    find_statements,
)
from webquarry._read.html.painted.drawings import has_drawn_text, mark_drawn_text
from webquarry._read.html.painted.ratings import write_ratings
from webquarry._read.html.painted.shadow import compose_shadow_trees, has_shadow_trees
from webquarry._read.html.prepare import flatten, rename_inline_tags, trim_attributes
from webquarry._read.html.traits import Traits, collect_traits
from webquarry._read.html.tree import holds_tag
from webquarry._read.text.characters import without_surrogates

CUT = "The page nests deeper than 2,048 elements; what lies below was cut."
FLATTENED = (
    "The page nests elements thousands of levels deep; the innermost boxes were taken apart so "
    "that no text is lost."
)
# Without one of these a page has neither shadow trees nor text in drawings.
_COMPOSED_TAGS = ("template", "text", "foreignobject", "textpath")
_CUT_MESSAGES = ("Excessive depth", "Resource limit exceeded")


@dataclass(frozen=True)
class Document:
    """A parsed page: its root and the siblings of its root, where text behind `</html>` ends up."""

    roots: list[etree._Element]
    notes: tuple[str, ...] = ()
    data: bytes = field(default=b"", repr=False)  # what was parsed
    url: str = ""
    styles: bytes = field(default=b"", repr=False)  # sheets that the page links to, packed

    @cached_property
    def comments(self) -> int:
        """How many there were; the tree holds none."""
        return self.data.count(b"<!--")

    @cached_property
    def page_info(self) -> PageInfo:
        """What concerns the whole page, found once."""
        return collect_page_info(self.roots, self.url, self.styles)

    @cached_property
    def statements(self) -> StatedElements:
        """The elements by which the page states something of itself, found once."""
        return find_statements(self.roots)

    @cached_property
    def traits(self) -> Traits:
        """How the page is built, found once."""
        return collect_traits(self.elements())

    def elements(self) -> Iterator[etree._Element]:
        """Every element, in document order."""
        for root in self.roots:
            yield from root.iter()


def parse_html(page: str | bytes, url: str = "", styles: bytes = b"") -> Document:
    """The tree of any page, however malformed; one without anything in it gives no roots. Bytes are
    UTF-8. `styles` are the sheets that it links to, packed.
    """
    # UTF-8, without NUL and surrogates
    if isinstance(page, bytes):
        data = page
        if 0 in data:
            data = data.replace(b"\x00", b"")
    else:
        text = page.replace("\x00", "")
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = without_surrogates(text).encode()

    trimmed = trim_attributes(data)
    roots, is_cut = _parse(rename_inline_tags(trimmed))
    if not is_cut:
        _compose(roots)
        return Document(roots, (), data, url, styles)

    flat, is_text_lost = flatten(data.decode("utf-8", "replace"))
    flat_roots, is_cut = _parse(rename_inline_tags(flat.encode()))
    note = FLATTENED
    if is_cut or is_text_lost:
        note = CUT
    _compose(flat_roots)
    return Document(flat_roots or roots, (note,), data, url, styles)


def _compose(roots: list[etree._Element]) -> None:
    """Make the tree that of what browsers paint, where that is another one than was written."""
    write_ratings(roots)
    if not holds_tag(roots, _COMPOSED_TAGS):
        return
    if has_shadow_trees(roots):
        compose_shadow_trees(roots)
    if has_drawn_text(roots):
        mark_drawn_text(roots)


def _parse(data: bytes) -> tuple[list[etree._Element], bool]:
    """The roots of the tree that libxml2 makes of a page, and whether it gave up before the
    end.
    """
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:  # empty, or nothing but comments
        return [], False
    if root is None:
        return [], False
    # The parser stops at its last error; the page's own words stand further on in messages.
    last = parser.error_log.last_error
    is_cut = last is not None and last.message.startswith(_CUT_MESSAGES)
    return [root, *root.itersiblings()], is_cut
