"""A flow -> its runs: three or more units that are alike and stand in one box, such as products,
results, people. A unit is a box of some tag and class, or a link with boxes in it, which is no box
itself.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_UNIT_TAGS = frozenset({"article", "div", "li", "section"})
_FEWEST_UNITS = 3
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG | FORM_FLAG

# its first block, one past its last, and the box that it is or, of a link, stands in
Unit = tuple[int, int, int]


def find_runs(flow: Flow, is_wanted: bytearray) -> list[list[Unit]]:
    """The runs in the boxes that are wanted."""
    alike: dict[tuple[int, str, str], list[Unit]] = {}
    for box in range(len(flow.tags)):
        parent = flow.parents[box]
        if parent < 0 or not is_wanted[parent]:
            continue
        tag = flow.tags[box]
        flags = flow.flags[box]
        if flags & _SET_ASIDE or tag not in _UNIT_TAGS:
            continue
        names = flow.names[box]
        kind = (parent, tag, names.partition(" ")[0])
        alike.setdefault(kind, []).append((flow.first[box], flow.last[box], box))
    for card in flow.cards:
        parent = card[0]
        flags = flow.flags[parent]
        if is_wanted[parent] and not flags & _SET_ASIDE:
            names = card[1]
            kind = (parent, "a", names.partition(" ")[0])
            alike.setdefault(kind, []).append((card[2], card[3], parent))
    return [units for units in alike.values() if len(units) >= _FEWEST_UNITS]
