"""Probabilities of blocks -> which blocks to keep: a threshold for the page, then no text twice and
no notices.

A notice is a request to the reader that is never the point of a page: turn scripts on, accept
cookies. An article may speak of either; a notice stands in a box of its own, or where only browsers
without scripts show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nlargest

import numpy as np

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.lifts import Array
from webquarry.read.main_content.tags import FALLBACK_FLAG, HIDDEN_FLAG
from webquarry.read.text.search import WordSearch

_LOWEST, _HIGHEST = 0.2, 0.5  # between these the threshold of a page may lie
_STRICTNESS = 1.05
_UNLIKELY = 0.1  # below that a heading stays out even if what follows it is kept
_LONG = 60  # characters; shorter texts may well stand twice on a page
_WHOLE_TEXT = 600
_MOST_COPIES = 5
_LONGEST_VALUE = 40  # characters
_MOST_OF_UNIT = 2 / 3  # of a table or a row
_MOST_CELLS = 500  # a table that holds the whole page has more
# beginnings that are looked for one by one; of more, each place in the text is looked up
_FEW = 200
_LONGEST_NOTICE = 600  # characters
_NOTICE_WORDS = WordSearch(("script", "cookie"))
_SCRIPT = re.compile(
    r"(?i)(?:enable|turn on|activate|allow|support|requires?|needs?|without|aktivier\w*|activ\w+"
    r"|habilit\w+|включите|启用|开启|有効)[^.!?]{0,60}java ?script"
    r"|java ?script[^.!?]{0,40}(?:disabled|enabled|required|turned off|not supported|deaktiviert"
    r"|désactivé|deshabilitado|отключен|有効|禁用)"
)
_CONSENT = re.compile(
    r"(?i)\b(?:we|site|website|page|our partners|service)\b[^.!?]{0,40}\buses? (?:\w+ ){0,2}cookies"
    r"|accept (?:all )?cookies|cookie (?:policy|settings|preferences|consent)"
    r"|(?:verwende[nt]|nutz(?:t|en)|setzt) (?:\w+ ){0,2}cookies|utilis\w+ (?:des |les )?cookies"
    r"|utiliza(?:mos)? cookies|usa(?:mos)? (?:i )?cookies?|использу\w+ (?:файлы )?cookie"
)


def choose(flow: Flow, chances: Array, words: Array) -> list[int]:
    """The numbers of the blocks to keep, in order."""
    threshold = find_threshold(chances, words)
    kept: list[int] = np.flatnonzero(chances >= threshold).tolist()
    kept = add_cells(flow, kept)
    kept = prefer_visible(flow, kept)
    kept = drop_copies(flow, kept)
    kept = drop_notices(flow, kept)
    return add_headings(flow, chances, kept)


def find_threshold(chances: Array, words: Array) -> float:
    """The chance from which on keeping a block makes the expected F1 of the page the largest."""
    order = np.argsort(-chances, kind="stable")
    # for each number of blocks that may be kept: the words of them that are wanted, and all of them
    wanted = (chances * words)[order]
    hits = np.cumsum(wanted)
    kept = np.cumsum(words[order])
    expected_f1 = 2 * hits / (kept + wanted.sum())
    best = int(np.argmax(expected_f1))
    threshold = _STRICTNESS * float(chances[order][best])
    return min(max(threshold, _LOWEST), _HIGHEST)


def add_cells(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and the cells that are missing from tables and rows of which most is kept:
    they are read as wholes.
    """
    units = [box for box, tag in enumerate(flow.tags) if tag == "tr" or tag == "table"]
    if not units:
        return kept
    is_kept = np.zeros(len(flow.texts) + 1, dtype=np.int64)
    is_kept[np.array(kept, dtype=np.int64) + 1] = 1
    kept_before = np.cumsum(is_kept)
    chosen = set(kept)
    for unit in units:
        first, last = flow.first[unit], flow.last[unit]
        size = last - first
        held = int(kept_before[last] - kept_before[first])
        if size > _MOST_CELLS or not _MOST_OF_UNIT * size < held < size:
            continue
        for index in range(first, last):
            # a number, a name, a date: what stands in a cell of data, unlike the columns of a page
            # that is laid out in a table
            if len(flow.texts[index]) <= _LONGEST_VALUE and not flow.links[index]:
                chosen.add(index)
    if len(chosen) > len(kept):
        return sorted(chosen)
    return kept


def prefer_visible(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, but for a hidden one whose text also stands in plain sight the one that is
    seen: a page may carry a post a second time to quote or to edit it, and that copy never reaches
    the reader.
    """
    texts, boxes, flags = flow.texts, flow.boxes, flow.flags
    hidden = {
        texts[index]: index
        for index in kept
        if flags[boxes[index]] & HIDDEN_FLAG and len(texts[index]) >= _LONG
    }
    if not hidden:
        return kept
    visible = [
        index
        for index, text in enumerate(texts)
        if text in hidden and not flags[boxes[index]] & HIDDEN_FLAG
    ]
    replaced = {hidden[texts[index]] for index in visible}
    return sorted({*kept, *visible} - replaced)


def drop_copies(flow: Flow, kept: Sequence[int]) -> list[int]:
    """The blocks that do not say again, somewhere else on the page, what others say.

    A long one that holds the beginnings of two others goes too: it is a copy of the whole text in
    one piece.
    """
    texts = flow.texts
    parents: dict[str, int] = {}  # of the element that a text first stood in
    single: list[int] = []
    for index in kept:
        text = texts[index]
        if len(text) >= _LONG:
            parent = flow.parents[flow.boxes[index]]
            if parents.setdefault(text, parent) != parent:
                continue  # the same list or recipe repeats a line on purpose
        single.append(index)

    long = [index for index in single if len(texts[index]) >= _WHOLE_TEXT]
    if not long:
        return single
    # a copy of the whole is among the longest
    longest = nlargest(_MOST_COPIES, long, key=lambda index: len(texts[index]))
    beginnings = {texts[index][:_LONG] for index in single if len(texts[index]) >= _LONG}
    copies = {index for index in longest if _holds_two(texts[index], beginnings)}
    if copies:
        return [index for index in single if index not in copies]
    return single


def _holds_two(text: str, beginnings: set[str]) -> bool:
    """Whether two of the beginnings, besides its own, stand in a text at the start of a word."""
    if len(beginnings) <= _FEW:
        return len([one for one in beginnings if f" {one}" in text]) >= 2
    found: set[str] = set()
    start = text.find(" ") + 1
    while start:
        piece = text[start : start + _LONG]
        if piece in beginnings:
            found.add(piece)
            if len(found) == 2:
                return True
        start = text.find(" ", start) + 1
    return False


def drop_notices(flow: Flow, kept: Sequence[int]) -> list[int]:
    """The blocks that are no notices, or that stand among others as a part of them."""
    suspects = {index for index in kept if is_notice(flow.texts[index])}
    if not suspects:
        return list(kept)
    others = [index for index in kept if index not in suspects]
    dropped: set[int] = set()
    for index in suspects:
        box = flow.boxes[index]
        parent = max(flow.parents[box], 0)
        first, last = flow.first[parent], flow.last[parent]
        is_fallback = flow.flags[box] & FALLBACK_FLAG
        # whether another block stands in the box around this one
        if is_fallback or not any(first <= other < last for other in others):
            dropped.add(index)
    return [index for index in kept if index not in dropped]


def is_notice(text: str) -> bool:
    """Whether a text reads like a notice about scripts or cookies."""
    if len(text) > _LONGEST_NOTICE or not _NOTICE_WORDS.count_in_lower(text, _LONGEST_NOTICE):
        return False
    lowered = text.lower()
    if "script" in lowered and _SCRIPT.search(text):
        return True
    return "cookie" in lowered and _CONSENT.search(text) is not None


def add_headings(flow: Flow, chances: Array, kept: Sequence[int]) -> list[int]:
    """The same blocks, and the headings right before them: readers need the name of what they
    read.
    """
    chosen = set(kept)
    levels, boxes = flow.levels, flow.boxes
    for index in kept:
        before = index - 1
        if before < 0 or before in chosen or levels[boxes[index]]:
            continue
        # the first level is the page's title, which is given beside the text
        if levels[boxes[before]] > 1 and chances[before] >= _UNLIKELY:
            chosen.add(before)
    return sorted(chosen)
