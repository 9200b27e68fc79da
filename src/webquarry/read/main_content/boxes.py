"""The element table of a flow -> what each element inherits, repeats and is named, as rows of two
matrices.

Parents stand before their children in the table, so the nearest ancestor of a kind is the one with
the highest number. What is handed down is the highest of what stands on the way to the root; each
round doubles how far up was looked.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.lifts import END, Lookup
from webquarry.read.main_content.words import END_OF_TEXT

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
# What is known of every element. JUMP: the nearest ancestor that holds more blocks; UNIT: the
# nearest element with siblings like it, -1 for none; SIBLINGS: how many siblings are like it,
# itself included; CLUSTER: the number of its tag and class together with its parent's; DEEP: of its
# cluster together with its parent's.
PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, JUMP, UNIT, SIBLINGS, CLUSTER, DEEP = range(11)
OWN, LOWEST, HIGHEST = range(3)
_Written = tuple[str, str, str]  # tag, class and id
_TAGS = """p div li td h1 h2 h3 h4 h5 h6 section article blockquote pre dd dt th figcaption ul form main aside body header
footer center details summary label noscript address fieldset legend caption table tr hgroup""".split()  # noqa: SIM905
_TAG_NUMBERS: dict[object, int] = {tag: number for number, tag in enumerate(_TAGS, 1)}
_ENDED = f"{END_OF_TEXT} "
LONGEST = 400  # characters of names that are looked at
_REPEATS = 3  # siblings alike that make each of them a unit


@dataclass(slots=True)
class Boxes:
    """A column an element."""

    table: Ints  # rows PARENT to DEEP
    # what its own names say, the lowest and the highest that one of those around it says; 0 lies
    # between
    names: Array


def describe_boxes(flow: Flow, lookup: Lookup) -> Boxes:
    """Describe every element of the table."""
    known = [*flow.parents, *flow.first, *flow.last, *flow.flags, *flow.levels]
    size = len(flow.parents)
    table = np.empty((11, size), np.intp)
    table[: LEVEL + 1] = np.frombuffer(array("q", known), np.int64).reshape(5, size)
    numbers: dict[_Written, int] = {}  # of what stands in the page, to look at it once only
    new = numbers.setdefault
    places = [new(one, len(numbers)) for one in zip(flow.tags, flow.names, flow.ids, strict=True)]
    place = np.fromiter(places, np.intp, size)
    kinds, said = _read_names(list(numbers), lookup)
    table[TAG], kind = kinds.take(place, 1)
    names = said.take(place, 1)
    parent = np.maximum(table[PARENT], 0)
    _count_alike(table, kind, parent)
    _hand_down(table, names, parent)
    return Boxes(table, names)


def _read_names(written: list[_Written], lookup: Lookup) -> tuple[Ints, Array]:
    """The number of each tag and one for tag and class together; sum, lowest and highest of what
    the names say.
    """
    joined = "".join(
        [f"{names[:LONGEST]}{_ENDED}{identity[:LONGEST]}{_ENDED}" for _, names, identity in written]
    )
    numbers, lowered = lookup.tokens(joined)
    ends = np.flatnonzero(numbers == END)[1::2]
    starts = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    values = lookup.values.take(numbers)
    said = np.empty((3, len(written)))
    for row, summed in enumerate((np.add, np.minimum, np.maximum)):
        summed.reduceat(values, starts, out=said[row])
    kinds: dict[tuple[str, str], int] = {}
    tags = [tag for tag, _, _ in written]
    classes = f" {lowered}".split(END_OF_TEXT)[:-1:2]  # each with a space on both sides
    alike = [kinds.setdefault(kind, len(kinds)) for kind in zip(tags, classes, strict=True)]
    return np.array([[_TAG_NUMBERS.get(tag, 0) for tag in tags], alike], np.intp), said


def _count_alike(table: Ints, kind: Ints, parent: Ints) -> None:
    """Number what looks alike: among siblings, with like parents, with like grandparents."""
    span = len(kind) + 1
    above = np.where(table[PARENT] < 0, span - 1, kind[parent])
    siblings = _numbered(table[PARENT] * span + kind)
    np.bincount(siblings).take(siblings, out=table[SIBLINGS], mode="clip")
    table[CLUSTER] = cluster = _numbered(kind * span + above)
    table[DEEP] = _numbered(cluster * span + np.where(table[PARENT] < 0, span - 1, cluster[parent]))


def _numbered(keys: Ints) -> Ints:
    """A small number for each key, the same for the same."""
    order = np.argsort(keys)
    ordered = keys[order]
    numbers = np.zeros_like(keys)
    numbers[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return numbers


def _hand_down(table: Ints, names: Array, parent: Ints) -> None:
    """Names on the way, ancestors that hold more, the unit that an element is in."""
    index = np.arange(len(parent))
    wider = (table[FIRST] != table[FIRST].take(parent)) | (table[LAST] != table[LAST].take(parent))
    handed = np.empty((4, len(parent)))
    np.negative(names[LOWEST], out=handed[0])
    handed[1] = names[HIGHEST]
    handed[2] = np.where(table[SIBLINGS] >= _REPEATS, index, -1)
    handed[3] = np.where(wider, index, 0)  # the outermost element that holds the same blocks
    up = parent
    while up.any():
        np.maximum(handed, handed.take(up, 1), out=handed)
        up = up.take(up)
    np.maximum(handed, handed[:, :1], out=handed)
    np.negative(handed[0], out=names[LOWEST])
    names[HIGHEST] = handed[1]
    table[UNIT] = handed[2]
    parent.take(handed[3].astype(np.intp), out=table[JUMP], mode="clip")
