from collections.abc import Iterable, Sequence
from typing import Any

from lxml import etree

ANCESTOR: int
PARENT: int
BESIDE: int
EARLIER: int
ANYTHING: str

class NameSet:
    def __init__(self, names: Iterable[str]) -> None: ...

class ElementNames:
    tag: str
    classes: frozenset[str]
    identity: str

class Compound:
    text: str
    tag: str
    identity: str
    classes: frozenset[str]
    tests: tuple[Any, ...]
    keys: tuple[str, ...]
    weight: tuple[int, int, int]
    def __init__(
        self,
        text: str,
        tag: str,
        identity: str,
        classes: frozenset[str],
        tests: tuple[Any, ...],
        keys: tuple[str, ...],
        weight: tuple[int, int, int],
    ) -> None: ...
    def fits(self, names: ElementNames) -> bool: ...
    def passes(self, element: etree._Element, tree: Tree) -> bool: ...

class Selector:
    steps: tuple[tuple[int, Compound], ...]
    weight: tuple[int, int, int]
    last: Compound
    def __init__(self, steps: tuple[tuple[int, Compound], ...]) -> None: ...

class Tree:
    roots: list[etree._Element]
    folds: bool
    left: int
    def __init__(
        self, roots: Sequence[etree._Element], *, folds: bool = False, left: int | None = None
    ) -> None: ...
    def close(self) -> None: ...
    def spend(self, tests: int) -> bool: ...
    def fold(self, name: str) -> str: ...
    def names_of(self, element: etree._Element) -> ElementNames: ...
    def parent_of(self, element: etree._Element) -> etree._Element | None: ...
    def children_of(self, parent: etree._Element | None) -> list[etree._Element]: ...
    def matches_any(self, element: etree._Element, selectors: tuple[Selector, ...]) -> bool: ...
    def position_of(
        self, element: etree._Element, of_type: bool, of: tuple[Selector, ...] | None
    ) -> tuple[int, int] | None: ...

class Matcher:
    def __init__(self, tree: Tree, selectors: Sequence[Selector]) -> None: ...
    def match(self, element: etree._Element) -> int: ...
    def find_possible(self, element: etree._Element) -> int: ...

def find_value(element: etree._Element, name: str) -> str | None: ...
def strip_comments(css: bytes) -> bytes: ...
def scan_rules(
    css: bytes, names: NameSet | None, around: tuple[bytes, ...], *, related: bool = False
) -> list[tuple[bytes | None, bytes, tuple[bytes, ...]]]: ...
def split_declarations(body: bytes, properties: frozenset[str] | None) -> list[tuple[str, str]]: ...
def parse_plain(text: str, folds: bool) -> Selector | None: ...
def bits_of(number: int) -> list[int]: ...
