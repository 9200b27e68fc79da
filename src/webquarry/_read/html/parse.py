"""Parse a page to a tree, in limited time and memory.

libxml2 gets UTF-8 bytes, because it ends a document silently at a byte that it cannot convert.
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
    find_describing,
    find_statements,
)
from webquarry._read.html.painted.ratings import write_ratings
from webquarry._read.html.prepare import rename_inline_tags, trim_attributes
from webquarry._read.html.traits import Traits, collect_traits
from webquarry._read.text.characters import without_surrogates

CUT = "The page nests deeper than 2,048 elements; the rest of it was cut."
_DRAWN = ("text", "foreignobject", "textpath")  # text in drawings
_CUT_MESSAGES = ("Excessive depth", "Resource limit exceeded")


@dataclass(frozen=True)
class Document:
    """A parsed page: its root and the siblings of its root, with the text after `</html>`."""

    roots: list[etree._Element]
    notes: tuple[str, ...] = ()
    data: bytes = field(default=b"", repr=False)  # as it was parsed
    url: str = ""
    styles: bytes = field(default=b"", repr=False)  # linked style sheets, packed
    describing: list[etree._Element] = field(default_factory=list, repr=False)

    @cached_property
    def comments(self) -> int:
        """The number of comments; the tree has none."""
        return self.data.count(b"<!--")

    @cached_property
    def page_info(self) -> PageInfo:
        """Elements that describe the page as a whole."""
        root = self.roots[0] if self.roots else None
        return collect_page_info(self.describing, root, self.url, self.styles)

    @cached_property
    def statements(self) -> StatedElements:
        """Elements with metadata."""
        return find_statements(self.describing)

    @cached_property
    def traits(self) -> Traits:
        """How the page is built."""
        return collect_traits(self.elements())

    def elements(self) -> Iterator[etree._Element]:
        """Yield all elements in document order."""
        for root in self.roots:
            yield from root.iter()


def parse_html(page: str | bytes, url: str = "", styles: bytes = b"") -> Document:
    """Parse any page, however malformed; an empty one has no roots. Bytes are UTF-8. `styles` are
    the style sheets that it links to, packed.
    """
    if isinstance(page, str):
        page = _encode(page)
    data = page.replace(b"\x00", b"")
    roots, is_cut = _parse(trim_attributes(data))
    notes = (CUT,) if is_cut else ()
    return Document(roots, notes, data, url, styles, _compose(roots))


def _encode(page: str) -> bytes:
    """Return a page as UTF-8, without surrogates, which are rare."""
    try:
        return page.encode()
    except UnicodeEncodeError:
        return without_surrogates(page).encode()


def _parse(data: bytes) -> tuple[list[etree._Element], bool]:
    """Return the roots of a page, and whether it is cut."""
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        root = etree.fromstring(rename_inline_tags(data), parser)
    except etree.XMLSyntaxError:  # empty, or only comments
        return [], False
    if root is None:
        return [], False
    # The parser stops at its last error; other messages may quote the page.
    last = parser.error_log.last_error
    is_cut = last is not None and last.message.startswith(_CUT_MESSAGES)
    return [root, *root.itersiblings()], is_cut


def _compose(roots: list[etree._Element]) -> list[etree._Element]:
    """Change the tree to what browsers show: star ratings, shadow trees, text of drawings. Return
    the elements that describe the page.
    """
    describing = find_describing(roots)
    tags = {one.tag for one in describing}
    is_changed = write_ratings(describing)
    if "template" in tags:
        from webquarry._read.html.painted.shadow import compose_shadow_trees

        compose_shadow_trees(roots)
        is_changed = True
    if not tags.isdisjoint(_DRAWN):
        from webquarry._read.html.painted.drawings import mark_drawn_text

        mark_drawn_text(roots)
        is_changed = True
    return find_describing(roots) if is_changed else describing
