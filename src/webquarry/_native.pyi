from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from lxml import etree

# An element, its parts, its tag, the names of its attributes, its text and its tail.
Child = tuple[etree._Element, int, str, list[str], str | None, str | None]

# text.pxi

class WordSearch:
    words: tuple[str, ...]

    def __init__(self, words: Iterable[str]) -> None: ...
    def is_any_in(self, text: str) -> bool: ...
    def count_in_lower(self, text: str, limit: int) -> int: ...

# tree.pxi

def has_text(element: etree._Element) -> bool: ...
def length_up_to(element: etree._Element, limit: int) -> int: ...
def first_texts(element: etree._Element, most: int, longest: int) -> list[str]: ...
def length_outside(element: etree._Element, tags: Set[str]) -> int: ...
def collect_names(roots: Sequence[etree._Element]) -> frozenset[str]: ...
def find_elements(
    root: etree._Element, tags: Set[str], attributes: Set[str]
) -> list[etree._Element]: ...
def holding_text(root: etree._Element, name: str, text: str) -> list[etree._Element]: ...
def style_of(element: etree._Element) -> bytes | None: ...

# walk.pxi

# Parents, tags, classes, ids, flags, heading levels, first blocks, one past the last.
BoxColumns = tuple[
    list[int], list[str], list[str], list[str], list[int], list[int], list[int], list[int]
]

class PageTags:
    """What tags, roles and attributes mean to the walk."""

    def __init__(
        self,
        *,
        kinds: dict[object, int],
        kinds_in_pre: dict[object, int],
        flags: dict[object, int],
        role_flags: dict[str, int],
        headings: dict[object, int],
        blocks_in_svg: Iterable[str],
        is_hiding_style: Callable[[str], bool],
        is_hiding_class: Callable[[str], bool],
        is_panel_button: Callable[[etree._Element], bool],
    ) -> None: ...

class Walk:
    """The blocks of a page, its block elements, and the elements that the text comes from."""

    texts: list[str]
    image_places: list[int]
    cut: bool
    has_role_table: bool

    def __init__(self, rules: PageTags) -> None: ...
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

class Candidates:
    """The elements in another one that may be hidden, in document order, itself included."""

    depth: int
    least_depth: int  # of the elements after the last candidate, up to this one

    def __init__(
        self,
        root: etree._Element,
        tags: Set[str],
        names: Iterable[str],
        concerns: Callable[[str, str], bool],
        parts: ChosenParts | None = None,
    ) -> None: ...
    def watch_all(self, is_strict: bool) -> None: ...
    def next(self, inside: bool) -> etree._Element | None: ...

# features.pxi

FEATURE_NAMES: tuple[str, ...]
SHORT_TEXT: int
LONGEST_NAME: int

class Matrix:
    """Numbers in a row per feature and a column per block."""

    height: int
    width: int
    @staticmethod
    def of(rows: list[list[float]]) -> Matrix: ...
    def to_lists(self) -> list[list[float]]: ...

class WordTable:
    """Words and their values in several tables."""

    def __init__(self, *tables: Mapping[str, float]) -> None: ...

class Features:
    """The features of the blocks of one page."""

    matrix: Matrix
    words: list[float]
    def __init__(
        self,
        walk: Walk,
        names: WordTable,
        words: WordTable,
        title: WordTable | None,
        topic: WordSearch,
        is_article: int,
    ) -> None: ...

# model.pxi

CONTEXT_NAMES: tuple[str, ...]

class Forest:
    """Trees over the rows of a matrix."""

    def __init__(
        self,
        features: Sequence[Sequence[int]],
        borders: Sequence[Sequence[float]],
        leaves: Sequence[int],
    ) -> None: ...
    def sum_leaves(self, matrix: Matrix) -> list[int]: ...
    def predict(self, matrix: Matrix, scale: float, bias: float) -> list[float]: ...

def find_threshold(chances: list[float], words: list[float]) -> float: ...
def find_joint_threshold(chances: list[float], words: list[float]) -> float: ...
def build_context(page: Features, chances: list[float]) -> Matrix: ...

# match.pxi
ANCESTOR: int
PARENT: int
BESIDE: int
EARLIER: int
ANYTHING: str

class NameSet:
    def __init__(self, names: Iterable[str]) -> None: ...
    def concerns(self, selector: str) -> bool: ...

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
    def find_possible(self, compound: Compound) -> list[etree._Element]: ...
    def matches_any(self, element: etree._Element, selectors: tuple[Selector, ...]) -> bool: ...
    def position_of(self, element: etree._Element, of_type: bool) -> tuple[int, int]: ...

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
