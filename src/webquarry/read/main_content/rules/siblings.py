"""Blocks that are kept -> the same, and those that stand as they do: where most of the posts or
results of a page keep their author or their summary, the others keep it too.
"""

from __future__ import annotations

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LEVELS = 4  # of the boxes around two blocks that have to be alike
_FEWEST = 3
_MOST = 2 / 3  # of the blocks that are alike are kept
_POSSIBLE = 0.3  # by either stage
_MOST_LINKS = 0.75  # of the characters
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG

_Kind = tuple[str, ...]


def add_siblings(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the few that are missing of those that are alike."""
    chosen = set(kept)
    missing = []
    first, final = chances.first, chances.final
    for index in range(len(first)):
        chance = max(first[index], final[index])
        if chance >= _POSSIBLE and index not in chosen and _is_text(flow, index):
            missing.append(index)
    names, flags = flow.names, flow.flags
    # the classes of their boxes; those that are hidden or set aside do not count
    missing_boxes = [flow.boxes[index] for index in missing]
    wanted = {names[box] for box in missing_boxes if not flags[box] & _SET_ASIDE} - {""}
    if not wanted:
        return kept
    alike: dict[_Kind, list[int]] = {}
    for index, box in enumerate(flow.boxes):
        if names[box] in wanted and not flags[box] & _SET_ASIDE:
            alike.setdefault(_find_kind(flow, index), []).append(index)
    possible_ones = set(missing)
    for blocks in alike.values():
        count = len(chosen.intersection(blocks))
        if len(blocks) >= _FEWEST and count >= _MOST * len(blocks):
            chosen.update(possible_ones.intersection(blocks))
    return sorted(chosen)


def _is_text(flow: Flow, index: int) -> bool:
    """Whether a block is more than a link."""
    return flow.link_chars[index] <= _MOST_LINKS * len(flow.texts[index])


def _find_kind(flow: Flow, index: int) -> _Kind:
    """The tags and classes of the boxes around a block: the same for blocks that are alike."""
    tags, names, parents = flow.tags, flow.names, flow.parents
    box = flow.boxes[index]
    kind: list[str] = []
    for _ in range(_LEVELS):
        if box < 0:
            break
        kind += (tags[box], names[box])
        box = parents[box]
    return tuple(kind)
