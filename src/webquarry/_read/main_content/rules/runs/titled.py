"""A flow and what is kept of it -> the blocks of the list that the page's title names: the people
of a team, the entries of an archive.

It stands right behind the title, in the same box, and says more than all that is kept besides it. A
menu below the name of a site does so, too; what tells it apart is that each of its entries is a
link and nothing else.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.rules.runs.find import Unit, find_runs
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_MOST_BETWEEN = 3  # blocks between the title and the list
_MOST_BLOCKS = 12  # in a unit, on average
_LONGEST_MEAN = 200  # characters of a unit; what is longer can be judged by its words
_MOST_KEPT = 0.4  # of a list; of one with more, the units have been told apart from what is in them
_MOST_LINKS = 0.9  # of the characters, where a unit is not one link with several parts
_MOST = 2 / 3  # of the units are such links
_WHOLE_PAGE = ("html", "body")
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def find_titled_list(flow: Flow, marks: bytearray, kept_text: int) -> list[int]:
    """The blocks of that list, by which blocks are kept and how many characters they have."""
    title = _find_title(flow)
    if title < 0 or flow.is_article:
        return []
    around = flow.boxes[title]
    while flow.last[around] <= title + 1 and flow.parents[around] >= 0:
        around = flow.parents[around]
    if flow.tags[around] in _WHOLE_PAGE:
        return []
    is_wanted = bytearray(len(flow.tags))
    for box in range(around, len(flow.tags)):
        # the boxes in a box stand right behind it
        if flow.first[box] >= flow.last[around]:
            break
        is_wanted[box] = 1
    for units in find_runs(flow, is_wanted):
        start = units[0][0]
        if not title < start <= title + 1 + _MOST_BETWEEN:
            continue
        size = sum(last - first for first, last, _ in units)
        if size > _MOST_BLOCKS * len(units):
            continue
        blocks: list[int] = []
        for first, last, _ in units:
            blocks += range(first, last)
        if _is_point(flow, units, blocks, marks, kept_text):
            return [index for index in blocks if not flow.flags[flow.boxes[index]] & _SET_ASIDE]
    return []


def _find_title(flow: Flow) -> int:
    """The block that is the only heading of the first level; -1 where none is, or several are."""
    found = -1
    for index, box in enumerate(flow.boxes):
        if flow.levels[box] != 1 or flow.flags[box] & _SET_ASIDE:
            continue
        if found >= 0:
            return -1
        found = index
    return found


def _is_point(
    flow: Flow, units: list[Unit], blocks: list[int], marks: bytearray, kept_text: int
) -> bool:
    """Whether a list of short units says more than what is kept besides it, and is no menu."""
    length = links = kept_of_list = 0
    for index in blocks:
        size = len(flow.texts[index])
        length += size
        links += flow.link_chars[index]
        if marks[index]:
            kept_of_list += size
    if length > _LONGEST_MEAN * len(units):
        return False
    if kept_of_list > _MOST_KEPT * length or kept_text - kept_of_list >= length:
        return False
    if links <= _MOST_LINKS * length:
        return True
    spans = {(first, last) for _, _, first, last in flow.cards}
    cards = sum((first, last) in spans for first, last, _ in units)
    return cards >= _MOST * len(units)
