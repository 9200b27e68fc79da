from collections.abc import Sequence, Set

from lxml import etree

from webquarry._read.markdown.scope import Child

Card = tuple[int, str, int, int]  # element around it, class, first block, one past the last
# Parents, tags, classes, ids, flags, heading levels, first blocks, one past the last.
BoxColumns = tuple[
    list[int], list[str], list[str], list[str], list[int], list[int], list[int], list[int]
]

class Walk:
    """The blocks of a page, its block elements, and the elements that the text comes from."""

    texts: list[str]
    image_places: list[int]
    cut: bool
    cards: list[Card]
    has_role_table: bool

    def list_boxes(self) -> BoxColumns: ...
    def list_blocks(self) -> tuple[list[int], list[int], list[int]]: ...
    def walk(self, roots: Sequence[etree._Element]) -> None: ...
    def images(self, blocks: Set[int], classes: Sequence[bytes]) -> list[etree._Element]: ...
    def choose_parts(self, blocks: Set[int], more: list[etree._Element]) -> ChosenParts: ...

class ChosenParts:
    """The elements of some blocks, and their ancestors."""

    def among(self, elements: list[etree._Element]) -> list[tuple[etree._Element, int]]: ...
    def children(self, element: etree._Element) -> list[Child]: ...
    def names(self) -> frozenset[str]: ...
