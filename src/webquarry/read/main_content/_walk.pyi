from collections.abc import Sequence, Set

from lxml import etree

class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text came from."""

    texts: list[str]
    blocks: list[tuple[int, int, int]]
    rows: list[tuple[int, str, str, str, int, int, int]]
    last: list[int]
    image_places: list[int]
    cut: bool

    def walk(self, roots: Sequence[etree._Element]) -> None: ...
    def heads(self, block: int) -> list[etree._Element]: ...
    def tails(self, block: int) -> list[etree._Element]: ...
    def atoms(self, blocks: Set[int]) -> list[etree._Element]: ...
    def images(self, blocks: Set[int]) -> list[etree._Element]: ...
