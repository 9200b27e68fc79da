"""Blocks that are kept -> the same, and what belongs to them because it stands right beside them:
code, the next sentence of the same text, notes and addresses between two of its paragraphs.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_LIKELY = 0.4  # by either stage
_LIKELY_BEHIND_CODE = 0.2  # nothing but the text around it speaks of code
_MOST_LINKS = 0.35  # of the characters
# The last sentence of a text often says where to read on: more of it are links, but not all.
_MOST_LINKS_IN_SENTENCE = 0.7
_LEAST_BESIDE_LINKS = 20  # characters
_SENTENCE_ENDS = frozenset(".!?。！？")
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG
_UNSEEN = HIDDEN_FLAG | FORM_FLAG
_SENTENCES = frozenset({"p", "li", "dd", "blockquote"})
_LIKELY_NOTE = 0.35  # by either stage
_MOST_BLOCKS = 6  # of a note; with more it is a part of the page
_LONGEST_NOTE = 1_000  # characters
_LIKELY_ADDRESS = 0.1  # by either stage
_LONGEST_ADDRESS = 300  # characters
_NOTES = frozenset({"aside", "address"})
_NEAR = 10  # blocks before and behind a note that it may repeat a sentence of
_PIECE = 40  # characters
_WHOLE_PAGE = ("html", "body")


def add_code(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and the code right behind them, however many pieces it is in."""
    if "pre" not in flow.known_tags:
        return kept
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    for index in range(1, size):
        if not chosen[index - 1]:
            continue
        box = flow.boxes[index]
        flags = flow.flags[box]
        tag = flow.tags[box]
        if tag == "pre" and not flags & _SET_ASIDE:
            chosen[index] = 1
    return list_marked(chosen)


def add_ends(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the sentences right behind them in the same box, if one of the stages
    takes them for a part of the text: what follows the end of a text talks its last sentence down.
    """
    first, final = chances.first, chances.final
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    for index in range(1, size):
        if chosen[index] or not chosen[index - 1]:
            continue
        chance = max(first[index], final[index])
        if chance < _LIKELY_BEHIND_CODE:
            continue
        box = flow.boxes[index]
        before = flow.boxes[index - 1]
        tag = flow.tags[before]
        is_behind_code = tag == "pre"
        if flow.tags[box] not in _SENTENCES or (chance < _LIKELY and not is_behind_code):
            continue
        parent = max(flow.parents[box], 0)
        follows_in_box = flow.first[parent] < index
        if follows_in_box and not _is_mostly_links(flow.texts[index], flow.link_chars[index]):
            chosen[index] = 1
    return list_marked(chosen)


def add_notes(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the notes, warnings and addresses between them that are set aside in the
    page's code only: something of the same box is kept right before and right behind them.
    """
    if not _NOTES & flow.known_tags:
        return kept
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    for box in range(1, len(flow.tags)):
        tag = flow.tags[box]
        if tag not in _NOTES:
            continue
        start, end = flow.first[box], flow.last[box]
        if start == 0 or end == size or not 0 < end - start <= _MOST_BLOCKS:
            continue
        around = flow.parents[box]
        stands_between = flow.first[around] < start and end < flow.last[around]
        if not stands_between or not chosen[start - 1] or not chosen[end]:
            continue
        flags = flow.flags[around]
        if flags & _SET_ASIDE or flow.tags[around] in _WHOLE_PAGE:
            continue
        if tag == "address":
            belongs = _is_address(flow, chances, start, end)
        else:
            belongs = _is_note(flow, chances, start, end)
        if belongs:
            for index in range(start, end):
                flags = flow.flags[flow.boxes[index]]
                if not flags & _UNSEEN:
                    chosen[index] = 1
    return list_marked(chosen)


def _is_address(flow: Flow, chances: Chances, start: int, end: int) -> bool:
    """Whether some blocks say where something is, as far as that can be told by their length; the
    telephone number among them may be a link.
    """
    length = 0
    likely = 0.0
    for index in range(start, end):
        text = flow.texts[index]
        length += len(text)
        likely = max(likely, chances.first[index], chances.final[index])
    return likely >= _LIKELY_ADDRESS and length <= _LONGEST_ADDRESS


def _is_note(flow: Flow, chances: Chances, start: int, end: int) -> bool:
    """Whether some blocks are prose: a sentence that may belong to the text and is not taken from
    it, few links, and no line that is nothing but a link, as the head of another page is.
    """
    length = in_links = 0
    has_sentence = False
    for index in range(start, end):
        text = flow.texts[index]
        length += len(text)
        in_links += flow.link_chars[index]
        if flow.link_chars[index] >= len(text):
            return False
        chance = max(chances.first[index], chances.final[index])
        if chance < _LIKELY_NOTE or text[-1:] not in _SENTENCE_ENDS:
            continue
        if _is_repeated(flow, text, start, end):
            return False
        has_sentence = True
    return has_sentence and length <= _LONGEST_NOTE and in_links < _MOST_LINKS * length


def _is_repeated(flow: Flow, text: str, start: int, end: int) -> bool:
    """Whether a sentence also stands in the text around some blocks: it is set large to be seen.
    Its ends may have been cut to fit, its middle is the same.
    """
    middle = max(0, len(text) - _PIECE) // 2
    piece = text[middle : middle + _PIECE]
    texts = flow.texts[max(0, start - _NEAR) : start] + flow.texts[end : end + _NEAR]
    return any(piece in other for other in texts)


def _is_mostly_links(text: str, in_links: int) -> bool:
    """Whether a text, of which so many characters are in links, says little beside them."""
    size = len(text)
    if in_links < _MOST_LINKS * size:
        return False
    is_sentence = text[-1:] in _SENTENCE_ENDS and size - in_links >= _LEAST_BESIDE_LINKS
    return not is_sentence or in_links > _MOST_LINKS_IN_SENTENCE * size
