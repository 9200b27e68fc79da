"""A parsed page -> its flow: blocks of text in order, and the table of the elements they stand in.

One walk. A block is what stands between two box boundaries; inline tags add to it. Blocks are
contiguous for every element, so whatever is to be known about a subtree is a difference of two
running sums over blocks. What a person cannot see is only flagged here, by its own attributes;
`render.py` leaves it out. What is never the point of a page (navigation, its footers, dialogs) does
not become a block at all.
"""

from __future__ import annotations

from webquarry.read.html.parse import Document
from webquarry.read.main_content.head import read_head
from webquarry.read.main_content.nesting import free_text

try:
    from webquarry.read.main_content._walk import Chosen, Walk
except (
    ImportError,
    ValueError,
):  # not built, or for another lxml: the same in Python, which takes three times as long
    from webquarry.read.main_content.walk import Chosen, Walk  # type: ignore[assignment]

__all__ = ["Chosen", "Flow", "Walk", "flow_of"]

_NEXT_TO_NOTHING = 200  # characters


class Flow:
    """Blocks (parallel lists, one entry a block) and box elements (one entry an element, parents
    before children).
    """

    def __init__(self, walk: Walk) -> None:
        self.owners = walk  # knows the elements that the text of a block comes from
        self.texts = walk.texts
        self.boxes: list[int] = []  # the innermost element of the table that holds the block
        self.link_chars: list[int] = []
        self.links: list[int] = []
        self.image_places = walk.image_places  # the block that each image stands in or before
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.names: list[str] = []  # the class attribute, as it stands in the page
        self.ids: list[str] = []
        self.flags: list[int] = []
        self.levels: list[int] = []  # of the heading around or at the element; 0 for none
        self.first: list[int] = []
        self.last = [
            last or len(walk.texts) for last in walk.last
        ]  # one past the last block; those still open end here
        self.title = ""
        self.topic: tuple[str, ...] = ()
        self.is_article = 0  # 1 for a page whose metadata says so, 2 where structured data does
        self.cut = walk.cut
        if walk.rows:
            columns = map(list, zip(*walk.rows, strict=True))
            self.parents, self.tags, self.names, self.ids, self.flags, self.levels, self.first = (
                columns
            )
        if walk.blocks:
            self.boxes, self.link_chars, self.links = map(list, zip(*walk.blocks, strict=True))


def flow_of(document: Document) -> Flow:
    """The blocks of a page."""
    flow = _walked(document)
    if sum(map(len, flow.texts)) < _NEXT_TO_NOTHING and free_text(document.roots):
        flow = _walked(document)
    head = read_head(document)
    flow.title, flow.topic, flow.is_article = head.title, head.topic, head.kind
    return flow


def _walked(document: Document) -> Flow:
    walk = Walk()
    walk.walk(document.roots)
    return Flow(walk)
