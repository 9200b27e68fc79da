"""The element table of a flow -> what each element inherits, repeats and is named, as rows of two
matrices.

Parents stand before their children in the table, so the nearest ancestor of a kind is the one with
the highest number. What is handed down is the highest of what stands on the way to the root; each
round doubles how far up was looked.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry._read.main_content.arrays.buffers import Rows, make_integers, make_rows, take_row
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.lifts import END, Array, Ints, Lookup
from webquarry._read.main_content.words import END_OF_TEXT

try:
    from webquarry._read.main_content._boxes import fill_table, link_boxes
    from webquarry._read.main_content._words import read_names
except ImportError:  # not built: numpy does it
    fill_table = link_boxes = read_names = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
else:
    from webquarry._read.main_content.arrays.late_numpy import np

# What is known of every element, a row of the table each. UNIT: the nearest element with siblings
# like it, -1 for none; SIBLINGS: how many siblings are like it, itself included; CLUSTER: the
# number of its tag and class together with its parent's; DEEP: of its cluster together with its
# parent's.
PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP = range(10)
_ROWS = DEEP + 1
_FLOW_ROWS = LEVEL + 1  # the first ones come from the flow as they are
# What the names of an element say: its own, the lowest and the highest of those around it.
OWN, LOWEST, HIGHEST = range(3)
# What is handed down, as the highest value on the way to the root.
_NEGATED_LOWEST, _HIGHEST, _UNIT = range(3)
_Written = tuple[str, str, str]  # tag, class and id
_TAGS = """
    p div li td h1 h2 h3 h4 h5 h6 section article blockquote pre dd dt th figcaption ul form main
    aside body header footer center details summary label noscript address fieldset legend caption
    table tr hgroup
""".split()  # noqa: SIM905
_TAG_NUMBERS: dict[str, int] = {tag: number for number, tag in enumerate(_TAGS, 1)}
_ENDED = f"{END_OF_TEXT} "
LONGEST = 400  # characters of names that are looked at
_REPEATS = 3  # siblings alike that make each of them a unit


@dataclass(slots=True)
class Boxes:
    """A column an element."""

    table: Rows  # PARENT to DEEP
    names: Rows  # OWN to HIGHEST; 0 lies between the lowest and the highest


def describe_boxes(flow: Flow, lookup: Lookup) -> Boxes:
    """Describe every element of the table."""
    if link_boxes is None:
        return describe_in_numpy(flow, lookup)
    size = len(flow.parents)
    table = make_integers(_ROWS, size)
    names = make_rows(HIGHEST + 1, size)
    kind = array("q", bytes(table.itemsize * size))
    fill_table(table, flow.parents, flow.first, flow.last, flow.flags, flow.levels)
    written = (flow.tags, flow.names, flow.ids)
    tags = take_row(table, TAG)
    read_names(*written, lookup.table, lookup.values, _TAG_NUMBERS, LONGEST, tags, kind, names)
    link_boxes(table, kind, names, _REPEATS)
    return Boxes(table, names)


def describe_in_numpy(flow: Flow, lookup: Lookup) -> Boxes:
    """The same where nothing is compiled."""
    size = len(flow.parents)
    table = np.empty((_ROWS, size), np.intp)
    from_flow = [*flow.parents, *flow.first, *flow.last, *flow.flags, *flow.levels]
    numbers = np.frombuffer(array("q", from_flow), np.int64)
    table[:_FLOW_ROWS] = numbers.reshape(_FLOW_ROWS, size)
    # what stands in the page is looked at once only, however many elements it stands at
    places: dict[_Written, int] = {}
    add = places.setdefault
    written = zip(flow.tags, flow.names, flow.ids, strict=True)
    place = np.fromiter([add(one, len(places)) for one in written], np.intp, size)
    kinds, values = _read_names(list(places), lookup)
    table[TAG], kind = kinds.take(place, 1)
    names = values.take(place, 1)
    relate_boxes(table, kind, names)
    return Boxes(table, names)


def relate_boxes(table: Ints, kind: Ints, names: Array) -> None:
    """Fill the rows UNIT to DEEP of the table, and the names with those of the elements around."""
    parent = np.maximum(table[PARENT], 0)
    _count_alike(table, kind, parent)
    _hand_down(table, names, parent)


def _read_names(written: list[_Written], lookup: Lookup) -> tuple[Ints, Array]:
    """Two rows, the number of each tag and one for tag and class together; three rows, sum, lowest
    and highest of what the names say.
    """
    joined = "".join(
        [f"{names[:LONGEST]}{_ENDED}{identity[:LONGEST]}{_ENDED}" for _, names, identity in written]
    )
    numbers, lowered = lookup.number_tokens(joined)
    ends = np.flatnonzero(numbers == END)[1::2]  # those behind the ids
    starts = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    token_values = np.asarray(lookup.values).take(numbers)
    values = np.empty((HIGHEST + 1, len(written)))
    np.add.reduceat(token_values, starts, out=values[OWN])
    np.minimum.reduceat(token_values, starts, out=values[LOWEST])
    np.maximum.reduceat(token_values, starts, out=values[HIGHEST])
    tags = [tag for tag, _, _ in written]
    classes = f" {lowered}".split(END_OF_TEXT)[:-1:2]  # each with a space on both sides
    kinds: dict[tuple[str, str], int] = {}
    add = kinds.setdefault
    kind_numbers = [add(kind, len(kinds)) for kind in zip(tags, classes, strict=True)]
    tag_numbers = [_TAG_NUMBERS.get(tag, 0) for tag in tags]
    return np.array([tag_numbers, kind_numbers], np.intp), values


def _count_alike(table: Ints, kind: Ints, parent: Ints) -> None:
    """Number what looks alike: among siblings, with like parents, with like grandparents."""
    span = len(kind) + 1
    is_root = table[PARENT] < 0
    siblings = _number_keys(table[PARENT] * span + kind)
    np.bincount(siblings).take(siblings, out=table[SIBLINGS], mode="clip")
    kind_above = np.where(is_root, span - 1, kind[parent])
    table[CLUSTER] = cluster = _number_keys(kind * span + kind_above)
    cluster_above = np.where(is_root, span - 1, cluster[parent])
    table[DEEP] = _number_keys(cluster * span + cluster_above)


def _number_keys(keys: Ints) -> Ints:
    """A small number for each key, the same for the same."""
    order = np.argsort(keys)
    ordered = keys[order]
    numbers = np.zeros_like(keys)
    numbers[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return numbers


def _hand_down(table: Ints, names: Array, parent: Ints) -> None:
    """Names on the way, the unit that an element is in."""
    index = np.arange(len(parent))
    handed = np.empty((_UNIT + 1, len(parent)))
    np.negative(names[LOWEST], out=handed[_NEGATED_LOWEST])
    handed[_HIGHEST] = names[HIGHEST]
    handed[_UNIT] = np.where(table[SIBLINGS] >= _REPEATS, index, -1)
    up = parent
    while up.any():
        np.maximum(handed, handed.take(up, 1), out=handed)
        up = up.take(up)
    np.maximum(handed, handed[:, :1], out=handed)
    np.negative(handed[_NEGATED_LOWEST], out=names[LOWEST])
    names[HIGHEST] = handed[_HIGHEST]
    table[UNIT] = handed[_UNIT]
