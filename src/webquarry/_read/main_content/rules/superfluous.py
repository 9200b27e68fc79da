"""Blocks that are kept -> those of them that say something, and say it once: no copies, no notices.

A notice is a request to the reader that is never the point of a page: turn scripts on, accept
cookies. An article may speak of either; a notice stands in a box of its own, or where only browsers
without scripts show it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import FALLBACK_FLAG, HIDDEN_FLAG
from webquarry._read.text.search import MOST_WORDS, WordSearch

_HIDDEN = HIDDEN_FLAG
_LONG = 60  # characters; shorter texts may well stand twice on a page
_WHOLE_TEXT = 600
_MOST_COPIES = 5
# beginnings that are searched for; of more, each place in the text is looked up
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


def prefer_visible(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, but for a hidden one whose text also stands in plain sight the one that is
    seen: a page may carry a post a second time to quote or to edit it, and that copy never reaches
    the reader.
    """
    hidden: dict[str, int] = {}
    for index in kept:
        box = flow.boxes[index]
        flags = flow.flags[box]
        text = flow.texts[index]
        if flags & _HIDDEN and len(text) >= _LONG:
            hidden[text] = index
    if not hidden:
        return kept
    visible: list[int] = []
    for index in range(len(flow.texts)):
        box = flow.boxes[index]
        flags = flow.flags[box]
        if not flags & _HIDDEN and flow.texts[index] in hidden:
            visible.append(index)
    replaced = {hidden[flow.texts[index]] for index in visible}
    return sorted({*kept, *visible} - replaced)


def drop_copies(flow: Flow, kept: Sequence[int]) -> list[int]:
    """The blocks that do not say again, somewhere else on the page, what others say.

    A long one that holds the beginnings of two others goes too: it is a copy of the whole text in
    one piece.
    """
    firsts: dict[str, int] = {}  # the first block with a beginning, and the blank before it
    parents: dict[
        str, int
    ] = {}  # of the element that a text first stood in, where several begin so
    single: list[int] = []
    long: list[int] = []
    for index in kept:
        text = flow.texts[index]
        if len(text) >= _LONG:
            beginning = " " + text[:_LONG]
            first = firsts.setdefault(beginning, index)
            if first != index:
                parents.setdefault(flow.texts[first], flow.parents[flow.boxes[first]])
                parent = flow.parents[flow.boxes[index]]
                if parents.setdefault(text, parent) != parent:
                    continue  # the same list or recipe repeats a line on purpose
            if len(text) >= _WHOLE_TEXT:
                long.append(index)
        single.append(index)

    if not long:
        return single
    # a copy of the whole is among the longest; of those as long the first ones are taken
    by_length = [(len(flow.texts[index]), -index) for index in long]
    by_length.sort(reverse=True)
    searches = _search_for(list(firsts))
    copies: set[int] = set()
    for _, place in by_length[:_MOST_COPIES]:
        if _holds_two(flow.texts[-place], firsts, searches):
            copies.add(-place)
    if copies:
        return [index for index in single if index not in copies]
    return single


def _search_for(beginnings: list[str]) -> list[WordSearch]:
    """Searches for some beginnings; none if they are so many that each text would be read again and
    again.
    """
    if len(beginnings) > _FEW:
        return []
    starts = range(0, len(beginnings), MOST_WORDS)
    return [WordSearch(beginnings[start : start + MOST_WORDS]) for start in starts]


def _holds_two(text: str, beginnings: dict[str, int], searches: list[WordSearch]) -> bool:
    """Whether two of the beginnings, which are behind a blank each, stand in a text. Without
    searches for them each place in the text is looked up.
    """
    count = 0
    if searches:
        for search in searches:
            count += search.count_in(text)
        return count >= 2
    found: set[str] = set()
    start = text.find(" ")
    while start >= 0 and len(found) < 2:
        piece = text[start : start + _LONG + 1]
        if piece in beginnings:
            found.add(piece)
        start = text.find(" ", start + 1)
    return len(found) == 2


def drop_notices(flow: Flow, kept: list[int]) -> list[int]:
    """The blocks that are no notices, or that stand among others as a part of them."""
    about_them = _NOTICE_WORDS.find_in_lower(flow.texts, kept, _LONGEST_NOTICE)
    suspects = {index for index in about_them if is_notice(flow.texts[index])}
    if not suspects:
        return kept
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
    if len(text) > _LONGEST_NOTICE:
        return False
    lowered = text.lower()
    if "script" in lowered and _SCRIPT.search(text):
        return True
    return "cookie" in lowered and _CONSENT.search(text) is not None
