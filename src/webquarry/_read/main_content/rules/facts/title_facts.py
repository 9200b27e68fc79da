"""Blocks that are kept -> the same, and the facts between the title of the page and its text: the
price of a product, the pay and place of a job, when and where an event is and what it costs, the
length of a film, who wrote a paper, the one sentence that says what it is all about.

Most of what stands there is a byline, a date or a row of buttons. So a line comes in for what it
says or is called, and others only as company of such a line.
"""

from __future__ import annotations

import re

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.units import holds_price
from webquarry._read.main_content.tags import ASIDE_FLAG, CAPTION_FLAG, FORM_FLAG, HIDDEN_FLAG

_LEAST_TEXT = 60  # characters of the block that the text begins with
_FEWEST_IN_RUN = 4  # blocks that are kept without a gap: a table or a list in place of a text
_MOST_BLOCKS = 12  # between the title and the text
_LONGEST_FACT = 120  # characters
_LONGEST_PRICE = 100  # with the words about it
_LONGEST_COMPANION = 60
_SHORTEST_LEAD = 30
_POSSIBLE_FACT = 0.05  # by either stage
_POSSIBLE_COMPANION = 0.1
_POSSIBLE_LEAD = 0.1
_MOST_LINKS = 0.5  # of the characters
_MOST_LINKS_OF_FACT = 0.7  # such as the genres of a film
_SET_ASIDE = ASIDE_FLAG | CAPTION_FLAG | FORM_FLAG | HIDDEN_FLAG
_RUNNING_TIME = r"\b\d{1,2} ?h(?:rs?|ours?)? ?\d{1,2} ?m(?:in)?\b"
_TEMPERATURE = r"\d ?°[CF]\b"
_RATING = r"\b\d[.,]\d ?/ ?(?:5|10)\b"
# a postal code where it stands in an address: behind the number of a house, behind a state
_ADDRESS = (
    r"\d\w?, (?!(?:19|20)\d\d )\d{4,5} [^\W\d_]{3}|[^\W\d_], [A-Z]{2} \d{5}\b"
    r"|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b"
)
_DIGIT = re.compile(r"\d")  # which most lines have not, and all of the next patterns
_FACT = re.compile(f"{_RUNNING_TIME}|{_TEMPERATURE}|{_RATING}|{_ADDRESS}")
# a digit with what may follow it in one of them, or what stands before a number in an address
_MAY_BE_FACT = re.compile(r"\d(?: ?[h°/]|\w?, |[A-Z]{2}\b)|, [A-Z]{2} \d")
_PAPER = re.compile(r"\b10\.\d{4,9}/\w")  # its number among all papers
_FACT_NAME = re.compile(r"(?i)(?<![a-z])(?:address|event|location|schedule|venue)s?(?![a-z])")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")


def add_title_facts(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the facts between the title and the text."""
    end = _find_text(flow, kept)
    start = _find_title(flow, end) + 1
    if start <= 0 or start == end:
        return kept
    head = list(range(start, end))
    if len(head) == 1 and _is_lead(flow, start):
        return sorted({*kept, *_list_possible(flow, chances, head, _POSSIBLE_LEAD)})
    facts: list[int] = []
    for index in head:
        text = flow.texts[index]
        if "10." in text and _PAPER.search(text):
            return sorted({*kept, *_list_shown(flow, head)})
        if len(text) <= _LONGEST_FACT and _is_fact(flow, index):
            facts.append(index)
    if not facts:
        return kept
    added = _list_possible(flow, chances, facts, _POSSIBLE_FACT)
    if added and not flow.is_article:
        company = [index for index in head if _may_accompany(flow, index)]
        added += _list_possible(flow, chances, company, _POSSIBLE_COMPANION)
    return sorted({*kept, *added})


def _find_title(flow: Flow, text: int) -> int:
    """The block of the title before that of the text; -1 if there is none, or much in between:
    something else stands there.
    """
    for title in range(text - 1, max(-1, text - 2 - _MOST_BLOCKS), -1):
        if flow.levels[flow.boxes[title]] == 1:
            return title
    return -1


def _find_text(flow: Flow, kept: list[int]) -> int:
    """The block that the text begins with; 0 if there is none, for nothing stands before that."""
    for place in range(len(kept)):
        if _begins_text(flow, kept, place):
            return kept[place]
    return 0


def _begins_text(flow: Flow, kept: list[int], place: int) -> bool:
    """Whether the text begins with a block that is kept: by its length, or because several as short
    as it are kept without a gap.
    """
    index = kept[place]
    if flow.levels[flow.boxes[index]]:
        return False
    text = flow.texts[index]
    if len(text) >= _LEAST_TEXT:
        return True
    end = place + _FEWEST_IN_RUN
    if end > len(kept) or kept[end - 1] != index + _FEWEST_IN_RUN - 1:
        return False
    for near in range(place, end):
        other = kept[near]
        text = flow.texts[other]
        if len(text) >= _LEAST_TEXT:
            return False
    return True


def _is_lead(flow: Flow, index: int) -> bool:
    """Whether what stands alone between the title and the text is a sentence. Articles have one
    from whoever wants them to be read.
    """
    text = flow.texts[index]
    if flow.is_article or len(text) < _SHORTEST_LEAD or flow.link_chars[index]:
        return False
    box = flow.boxes[index]
    return flow.tags[box] == "p" and text.endswith(_SENTENCE_ENDS)


def _is_fact(flow: Flow, index: int) -> bool:
    """Whether a line is a fact by what it says, or by what it is called where nothing else is."""
    text = flow.texts[index]
    in_links = flow.link_chars[index]
    if _DIGIT.search(text):
        if _MAY_BE_FACT.search(text) and _FACT.search(text):
            return in_links <= _MOST_LINKS_OF_FACT * len(text)
        # a sentence about money is no price
        is_short = len(text) <= _LONGEST_PRICE and not text.endswith(_SENTENCE_ENDS)
        if is_short and in_links <= _MOST_LINKS * len(text) and holds_price(text):
            return True
    if flow.is_article or in_links > _MOST_LINKS * len(text):
        return False
    box = flow.boxes[index]
    return _FACT_NAME.search(flow.names[box]) is not None


def _may_accompany(flow: Flow, index: int) -> bool:
    """Whether a line may say something more about what the facts beside it are about: it is no
    sentence about the shop, and no name of something to fill in.
    """
    text = flow.texts[index]
    if len(text) > _LONGEST_COMPANION or text.endswith((":", *_SENTENCE_ENDS)):
        return False
    return flow.link_chars[index] <= _MOST_LINKS * len(text)


def _list_possible(flow: Flow, chances: Chances, blocks: list[int], possible: float) -> list[int]:
    """Those of the blocks that one of the stages thinks possible."""
    found: list[int] = []
    for index in _list_shown(flow, blocks):
        chance = max(chances.first[index], chances.final[index])
        if chance >= possible:
            found.append(index)
    return found


def _list_shown(flow: Flow, blocks: list[int]) -> list[int]:
    """Those of the blocks that are neither hidden nor set aside."""
    found: list[int] = []
    for index in blocks:
        box = flow.boxes[index]
        flags = flow.flags[box]
        if not flags & _SET_ASIDE:
            found.append(index)
    return found
