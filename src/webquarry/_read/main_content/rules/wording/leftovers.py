"""Blocks that are kept -> the same without what is left over of boxes that are not: the name of a
list of other pages at the end, a label of an advertisement, the small print of a newsletter.

Such a line says nothing by itself. Only lines that are nothing else go, and a name only where
nothing of what it names is kept.
"""

from __future__ import annotations

import re

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import CELL_FLAG, ITEM_FLAG, TERM_FLAG
from webquarry._read.text.search import WordSearch

_LISTED = CELL_FLAG | ITEM_FLAG | TERM_FLAG
_LONGEST = 100  # characters
_WORDS = WordSearch(("unsubscribe", "spam", "advertisement", "continues below"))
_LABEL = re.compile(
    r"(?i)\W*(?:(?:advertisement|sponsored)?\W*(?:story|article|post) continues below(?: this ad"
    r"|(?: the)? advertisement)?|advertisement)\W*$"
    r"|\W*(?:(?:absolutely )?no spam\b[^.!?]{0,20}[.!?,;–-]?\s?)?(?:you can )?unsubscribe"
    r" (?:any ?time|at any time|whenever you (?:like|want))\W*$"
)
_OTHER_PAGES = re.compile(
    r"(?i)\W*(?:you (?:might|may) (?:also )?(?:like|enjoy|be interested in)"
    r"|(?:related|similar|recent|popular|latest|recommended|more|other) (?:posts|articles|stories"
    r"|reading|content|news|coverage|links|products|jobs|items|topics|videos)"
    r"|recommended for you|more like this|read (?:also|next)|keep reading|what to read next"
    r"|(?:most read|trending)(?: now)?|das könnte (?:sie|dich|euch) auch interessieren"
    r"|auch interessant|ähnliche (?:artikel|beiträge|produkte)|weitere (?:artikel|beiträge)"
    r"|mehr zum thema|vous aimerez aussi|à lire aussi|articles (?:similaires|liés|récents)"
    r"|también te puede (?:gustar|interesar)|(?:artículos|entradas|noticias) relacionad[oa]s"
    r"|potrebbe(?:ro)? (?:anche )?interessarti|articoli correlati|leggi anche"
    r"|(?:artigos|posts|notícias) relacionad[oa]s|leia também|lees ook|zobacz także|czytaj także"
    r"|читайте также|похожие (?:статьи|записи)|関連記事|相关(?:文章|阅读|推荐)|猜你喜欢|관련 ?기사"
    r")\W*$"
)


def drop_leftovers(flow: Flow, kept: list[int]) -> list[int]:
    """The kept blocks that are no leftovers."""
    left = len(kept)
    while left > 1 and _names_other_pages(flow, kept[left - 1]):
        left -= 1
    if left < len(kept):
        kept = kept[:left]
    suspects = _WORDS.find_in_lower(flow.texts, kept, _LONGEST)
    labels = {index for index in suspects if _is_label(flow, index)}
    if not labels or len(labels) == len(kept):
        return kept
    return [index for index in kept if index not in labels]


def _is_label(flow: Flow, index: int) -> bool:
    """Whether a block is a label, and none of the things that a list or a table names."""
    box = flow.boxes[index]
    if flow.levels[box] or flow.flags[box] & _LISTED:
        return False
    return _LABEL.match(flow.texts[index]) is not None


def _names_other_pages(flow: Flow, index: int) -> bool:
    """Whether a heading is the name of a list of other pages."""
    level = flow.levels[flow.boxes[index]]
    text = flow.texts[index]
    return level > 1 and len(text) <= _LONGEST and _OTHER_PAGES.match(text) is not None
