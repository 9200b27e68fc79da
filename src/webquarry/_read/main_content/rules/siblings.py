"""Blocks that are kept -> the same, and those that stand as they do: where most of the posts or
results of a page keep their author or their summary, the others keep it too.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LEVELS = 4  # of the boxes around two blocks that have to be alike
_FEWEST = 3
_MOST = 2 / 3  # of the blocks that are alike are kept
_POSSIBLE = 0.3  # by either stage
_MOST_LINKS = 0.75  # of the characters
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG

_Kind = tuple[str, ...]


def add_siblings(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the few that are missing of those that are alike."""
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    missing = _find_missing(flow, chances, chosen)
    # the classes of their boxes; those that are hidden or set aside do not count
    wanted: set[str] = set()
    for index in missing:
        box = flow.boxes[index]
        flags = flow.flags[box]
        name = flow.names[box]
        if name and not flags & _SET_ASIDE:
            wanted.add(name)
    if not wanted:
        return kept
    alike: dict[_Kind, list[int]] = {}
    for index in range(size):
        box = flow.boxes[index]
        flags = flow.flags[box]
        if flags & _SET_ASIDE or flow.names[box] not in wanted:
            continue
        kind = _find_kind(flow, box)
        known = alike.get(kind)
        if known is None:
            alike[kind] = [index]
        else:
            known.append(index)
    is_possible = mark_blocks(missing, size)
    added: list[int] = []
    for blocks in alike.values():
        count = 0
        for index in blocks:
            count += chosen[index]
        if len(blocks) >= _FEWEST and count >= _MOST * len(blocks):
            added += [index for index in blocks if is_possible[index]]
    if not added:
        return kept
    for index in added:
        chosen[index] = 1
    return list_marked(chosen)


def _find_missing(flow: Flow, chances: Chances, chosen: bytearray) -> list[int]:
    """The blocks that are not chosen though they are possible, and more than a link."""
    first, final = chances.first, chances.final
    missing: list[int] = []
    for index in range(len(chosen)):
        if chosen[index]:
            continue
        early, late = first[index], final[index]
        if early < _POSSIBLE and late < _POSSIBLE:
            continue
        text = flow.texts[index]
        if flow.link_chars[index] <= _MOST_LINKS * len(text):
            missing.append(index)
    return missing


def _find_kind(flow: Flow, box: int) -> _Kind:
    """The tags and classes of the boxes around a block: the same for blocks that are alike."""
    kind: list[str] = []
    for _ in range(_LEVELS):
        if box < 0:
            break
        kind.append(flow.tags[box])
        kind.append(flow.names[box])
        box = flow.parents[box]
    return tuple(kind)
