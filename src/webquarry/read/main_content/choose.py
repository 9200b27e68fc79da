"""Probabilities of blocks -> which blocks to keep: a threshold for the page, then what belongs to
the blocks above it, then no text twice and no notices.

A notice is a request to the reader that is never the point of a page: turn scripts on, accept
cookies. An article may speak of either; a notice stands in a box of its own, or where only browsers
without scripts show it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from heapq import nlargest

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.rules.captions import add_captions
from webquarry.read.main_content.rules.items import add_items
from webquarry.read.main_content.rules.neighbours import add_code, add_ends
from webquarry.read.main_content.rules.pairs import add_pairs
from webquarry.read.main_content.rules.sections import add_sections
from webquarry.read.main_content.rules.short_facts import add_short_facts
from webquarry.read.main_content.rules.short_pages import fill_short_page
from webquarry.read.main_content.rules.siblings import add_siblings
from webquarry.read.main_content.rules.tables import add_tables
from webquarry.read.main_content.rules.threshold import find_threshold
from webquarry.read.main_content.rules.units import add_units
from webquarry.read.main_content.tags import FALLBACK_FLAG, HIDDEN_FLAG
from webquarry.read.text.search import WordSearch

_UNLIKELY = 0.1  # by both stages: below that a heading stays out even if what follows it is kept
_LONG = 60  # characters; shorter texts may well stand twice on a page
_WHOLE_TEXT = 600
_MOST_COPIES = 5
# beginnings that are looked for one by one; of more, each place in the text is looked up
_FEW = 200
_LONGEST_NOTICE = 600  # characters
# Without one of these neither pattern fits; "script" alone also stands in descriptions.
_NOTICE_WORDS = WordSearch(("javascript", "java script", "cookie"))
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


def choose(flow: Flow, chances: Chances, words: Sequence[float]) -> list[int]:
    """The numbers of the blocks to keep, in order, by how many words each has."""
    threshold = find_threshold(chances.final, words)
    kept = [index for index, chance in enumerate(chances.final) if chance >= threshold]
    kept = add_tables(flow, kept)
    kept = add_code(flow, kept)
    kept = add_ends(flow, chances, kept)
    kept = add_captions(flow, chances, kept)
    kept = add_pairs(flow, kept)
    kept = add_units(flow, kept)
    kept = fill_short_page(flow, chances, kept)
    kept = add_siblings(flow, chances, kept)
    kept = add_items(flow, chances, kept)
    kept = add_sections(flow, chances, kept)
    kept = prefer_visible(flow, kept)
    kept = drop_copies(flow, kept)
    kept = drop_notices(flow, kept)
    kept = add_headings(flow, chances, kept)
    return add_short_facts(flow, chances, kept)


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
    texts, boxes, parent_of = flow.texts, flow.boxes, flow.parents
    parents: dict[str, int] = {}  # of the element that a text first stood in
    single: list[int] = []
    for index in kept:
        text = texts[index]
        if len(text) >= _LONG:
            parent = parent_of[boxes[index]]
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
    texts = flow.texts
    suspects = {index for index in kept if is_notice(texts[index])}
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
        place = bisect_left(others, first)
        stands_alone = place == len(others) or others[place] >= last
        if is_fallback or stands_alone:
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


def add_headings(flow: Flow, chances: Chances, kept: Sequence[int]) -> list[int]:
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
        chance = max(chances.first[before], chances.final[before])
        if levels[boxes[before]] > 1 and chance >= _UNLIKELY:
            chosen.add(before)
    return sorted(chosen)
