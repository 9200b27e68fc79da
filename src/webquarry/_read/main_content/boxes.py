"""Describe the elements of a page: their names, repeated siblings and similar elements."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from webquarry._native import fill_table, link_boxes, read_names
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.buffers import Rows, make_integers, make_rows, take_row
from webquarry._read.main_content.lifts import Lookup

# What is known of every element, a row of the table each. UNIT: the nearest element with siblings
# like it, -1 for none; SIBLINGS: how many siblings are like it, itself included; CLUSTER: the
# number of its tag and class together with its parent's; DEEP: of its cluster together with its
# parent's.
PARENT, FIRST, LAST, FLAGS, LEVEL, TAG, UNIT, SIBLINGS, CLUSTER, DEEP = range(10)
_ROWS = DEEP + 1
# What the names of an element say: its own, the lowest and the highest of those around it.
OWN, LOWEST, HIGHEST = range(3)
_TAGS = """
    p div li td h1 h2 h3 h4 h5 h6 section article blockquote pre dd dt th figcaption ul form main
    aside body header footer center details summary label noscript address fieldset legend caption
    table tr hgroup
""".split()  # noqa: SIM905
_TAG_NUMBERS: dict[str, int] = {tag: number for number, tag in enumerate(_TAGS, 1)}
LONGEST = 400  # characters of names that are looked at
_REPEATS = 3  # siblings alike that make each of them a unit


@dataclass(slots=True)
class Boxes:
    """A column an element."""

    table: Rows  # PARENT to DEEP
    names: Rows  # OWN to HIGHEST; 0 lies between the lowest and the highest


def describe_boxes(flow: Flow, lookup: Lookup) -> Boxes:
    """Describe every element of the table."""
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
