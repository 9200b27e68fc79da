"""Questions in front of kept answers: the same blocks, and the questions.

A button, or a link that leads nowhere, often holds the question of an answer, and blocks of such
are seldom the point of a page. Where several of them stand right before texts that are kept, the
answers say nothing without them.
"""

from __future__ import annotations

from webquarry._read.html.panel_buttons import QUESTION_MARKS
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks

_FEWEST = 3  # questions with an answer; one alone may be a teaser before something else
_LONGEST = 250  # characters
_LAST = frozenset(QUESTION_MARKS)


def add_questions(flow: Flow, kept: list[int]) -> list[int]:
    """The kept blocks and the questions right before them, where there are some of those."""
    texts = flow.texts
    chosen = mark_blocks(kept, len(texts))
    found = [index - 1 for index in kept if index and not chosen[index - 1]]
    found = [index for index in found if texts[index][-1] in _LAST]
    found = [index for index in found if _may_have_answer(flow, index)]
    if not found:
        return kept
    count = 0
    for index in kept:
        if index and texts[index - 1][-1] in _LAST and texts[index][-1] not in _LAST:
            count += 1
    if count < _FEWEST:
        return kept
    for index in found:
        chosen[index] = 1
    return list_marked(chosen)


def _may_have_answer(flow: Flow, index: int) -> bool:
    """Whether a question is neither the page's title, which is given beside the text, nor the end
    of a row of links.
    """
    is_title = flow.levels[flow.boxes[index]] == 1
    return not is_title and flow.links[index] <= 1 and len(flow.texts[index]) <= _LONGEST
