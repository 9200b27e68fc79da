"""Blocks that are kept -> the same, and those that stand as they do: where most of the posts or
results of a page keep their author or their summary, the others keep it too.
"""

from __future__ import annotations

from collections.abc import Hashable

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LEVELS = 4  # of the boxes around two blocks that have to be alike
_FEWEST = 3
_MOST = 2 / 3  # of the blocks that are alike are kept
_POSSIBLE = 0.25  # by either stage
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG


def add_siblings(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the few that are missing of those that are alike."""
    alike: dict[int, list[int]] = {}
    kinds = _name_kinds(flow)
    for index, box in enumerate(flow.boxes):
        if flow.names[box] and not flow.flags[box] & _SET_ASIDE:
            alike.setdefault(kinds[box], []).append(index)
    chosen = set(kept)
    added: list[int] = []
    for blocks in alike.values():
        if len(blocks) < _FEWEST:
            continue
        missing = [index for index in blocks if index not in chosen]
        if missing and len(blocks) - len(missing) >= _MOST * len(blocks):
            added += [
                index
                for index in missing
                if max(chances.first[index], chances.final[index]) >= _POSSIBLE
            ]
    if not added:
        return kept
    return sorted(chosen.union(added))


def _name_kinds(flow: Flow) -> list[int]:
    """A number for each box: the same for boxes whose tags and classes, and those of the boxes
    around them, are the same.
    """
    names = zip(flow.tags, flow.names, strict=True)
    own = _number(list(names))
    kinds = own
    for _ in range(_LEVELS - 1):
        around = [kinds[max(parent, 0)] for parent in flow.parents]
        pairs = zip(own, around, strict=True)
        kinds = _number(list(pairs))
    return kinds


def _number(values: list[tuple[Hashable, Hashable]]) -> list[int]:
    """A number for each value, the same for values that are the same."""
    numbers: dict[tuple[Hashable, Hashable], int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
