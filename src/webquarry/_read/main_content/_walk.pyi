from collections.abc import Sequence, Set

from lxml import etree

from webquarry._read.main_content.walk import BoxColumns, Card
from webquarry._read.markdown.scope import Child

class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text
    came from.
    """

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
    """The elements that some blocks are made of, and all those around them."""

    def among(self, elements: list[etree._Element]) -> list[tuple[etree._Element, int]]: ...
    def children(self, element: etree._Element) -> list[Child]: ...
    def names(self) -> frozenset[str]: ...
