"""Lists that continue elsewhere: "1-24 of 1,312 results", "page 1 of 9", a button "load more", a
row of links to pages with higher numbers.

Only counts in a short text of its own next to the main content are read: comments under an
article, its images and ratings are numbered too. A complete list uses the same words ("1-12 of
12"). Rows of pages also occur below articles, so that they count for lists only, and only links to
later pages of the same URL.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.tree import beginning_of, holding_text
from webquarry._read.markdown.words import PageBlocks
from webquarry._read.outcome.phrases import phrases, tokenize
from webquarry._search.addresses import join_url, split_url

_LONGEST_COUNT = 90  # characters of a text with a count
_LONGEST_LABEL = 40  # characters of a link or a button
_LONGEST_TAIL = 300  # of a URL
_MOST_BUTTONS = 200
_MOST_ROWS = 20  # elements named like a row of pages
_MOST_INSIDE = 300  # elements in one of them, or in an item
_MOST_FOUND = 200  # elements with an attribute
_QUOTING_TAGS = frozenset({"pre", "code", "blockquote"})
_NEAR = 25  # blocks between a count and the list
_FEWEST_NEAR = 3
_FEWEST_LINKED = 4  # items of a list that continues
_LINKED_SHARE = 0.3  # of its blocks
_LONG_BLOCK = 300  # characters; a longer one is a paragraph
_TWO_NUMBERS = re.compile(r"\d\D++\d")
# Articles have a next one too; the next page of a list has a number.
_PAGE_NUMBER = re.compile(
    r"(?i)[?&/;](?:page|p|pg|pn|paged|pagenumber|seite|pagina|strona|start|startat|offset|from)"
    r"[-=/]?(\d{1,6})\b"
)
_ROW_NAMES = ("paginat", "pager", "page-number", "page_number", "pagenumber", "page-link")
_COMMENT_NAMES = ("comment", "review", "reply", "replies", "kommentar", "comentario")


def find_more(url: str, document: Document, blocks: PageBlocks) -> str | None:
    """Return what a page says about how much more there is: a clause that follows "the page"."""
    kept = blocks.kept
    sizes = [len(blocks.texts[index]) for index in kept]
    long = sum([size for size in sizes if size > _LONG_BLOCK])
    is_list = long <= blocks.size // 2  # most of the main content is not in paragraphs
    for index, text in enumerate(blocks.texts):
        if len(text) > _LONGEST_COUNT or not _TWO_NUMBERS.search(text):
            continue
        if blocks.tag_around(index) in _QUOTING_TAGS:
            continue
        near = kept[bisect_left(kept, index - _NEAR) : bisect_right(kept, index + _NEAR)]
        if len(near) < _FEWEST_NEAR:
            continue
        tokens = tokenize(text)
        pages = _read_page(tokens)
        if pages:
            return f"is page {pages[0]:,} of {pages[1]:,}"
        items = _read_count(tokens) if is_list else None
        if items:
            return f"shows {items[0]:,} of {items[1]:,}"
    linked = sum(map(blocks.is_link, kept))
    is_linked = is_list and linked >= max(_FEWEST_LINKED, _LINKED_SHARE * len(kept))
    if is_linked and _ends_with_more(document, blocks):
        return "has a button that loads more"
    if _has_next_link(url, document) or (is_linked and has_later_page(url, document)):
        return "has a next one"
    return None


def has_later_page(url: str, document: Document) -> bool:
    """Whether a page with a list links to a later page of the same list."""
    here = _read_page_number(url)
    older = phrases("list.older").match
    links = chain(
        _find_next_links(document),
        _find_row_links(document),
        (link for link in _find_elements(document, "href", "page") if older(_read_label(link))),
    )
    return any(_is_later(url, link, here) for link in links)


def _has_next_link(url: str, document: Document) -> bool:
    """Whether the body of a page links to the next page of the same list or article."""
    return any(
        link.tag == "a" and link.get("rel") == "next" and _is_same_list(url, link.get("href", ""))
        for link in _find_next_links(document)
    )


def _find_next_links(document: Document) -> list[etree._Element]:
    """Return the last elements that lead to what is next."""
    return [one for one in document.describing if "next" in one.get("rel", "")][-_MOST_FOUND:]


def _read_count(tokens: list[str]) -> tuple[int, int] | None:
    """Return how many items of how many are shown, if not all."""
    if phrases("list.count").match_tokens(tokens):
        return _read_part(_read_numbers(tokens)[-2:])
    if phrases("list.count_reversed").match_tokens(tokens):
        numbers = _read_numbers(tokens)
        return _read_part([numbers[2 if len(numbers) > 2 else 1], numbers[0]])
    return None


def _read_page(tokens: list[str]) -> tuple[int, int] | None:
    """Return the number of the page and of all pages, if it is not the last."""
    if phrases("list.page").match_tokens(tokens):
        return _read_part(_read_numbers(tokens)[:2])
    if phrases("list.page_reversed").match_tokens(tokens):
        after = tokens[tokens.index("第") :]
        return _read_part(_read_numbers(after)[:2])
    return None


def _read_numbers(tokens: Sequence[str]) -> list[int]:
    digits = ["".join(filter(str.isdecimal, token)) for token in tokens if token[0].isdecimal()]
    return [int(one[:18]) for one in digits]


def _read_part(numbers: Sequence[int]) -> tuple[int, int] | None:
    shown, total = numbers
    return (shown, total) if 0 < shown < total else None


def _ends_with_more(document: Document, blocks: PageBlocks) -> bool:
    """Whether a link or a button for more follows the main content."""
    loads_more = phrases("list.more").match
    end = blocks.kept[-1]
    texts = blocks.texts[end : end + 4]
    if any(len(text) <= _LONGEST_LABEL and loads_more(text) for text in texts):
        return True
    buttons = chain.from_iterable(root.iter("button") for root in document.roots)
    for button in islice(buttons, _MOST_BUTTONS):
        around = next(button.iterancestors("nav", "footer", "aside", "dialog"), None)
        if around is None and loads_more(_read_label(button)):
            return True
    return False


def _is_later(url: str, link: etree._Element, here: int) -> bool:
    """Whether a link has a higher page number than this page, which is the first without one."""
    href = link.get("href") or ""
    is_later = _read_page_number(href) > max(here, 1)
    return is_later and _is_same_list(url, href, may_be_index=True)


def _is_same_list(url: str, href: str, *, may_be_index: bool = False) -> bool:
    """Whether a link is a numbered page of the list at a URL, or of an index above it."""
    if not _PAGE_NUMBER.search(href[-_LONGEST_TAIL:]):
        return False
    try:
        here, there = split_url(url), split_url(join_url(url, href.strip()))
    except ValueError:  # not a URL
        return False
    if here.netloc != there.netloc:
        return False
    stem = _PAGE_NUMBER.sub("", here.path).rstrip("/")
    index = _PAGE_NUMBER.sub("", there.path).rstrip("/")
    return there.path.startswith(stem) or (may_be_index and stem.startswith(index))


def _read_page_number(url: str) -> int:
    found = _PAGE_NUMBER.search(url[-_LONGEST_TAIL:])
    return int(found[1]) if found else 0


def _find_row_links(document: Document) -> Iterator[etree._Element]:
    """Iterate over the links in rows of pages that are labelled as such."""
    is_next = phrases("list.next").match
    rows = 0
    for row in chain(
        _find_elements(document, "class", "page"), _find_elements(document, "class", "aginat")
    ):
        names = f"{row.get('class')} {row.get('id') or ''}".lower()
        is_row = any(name in names for name in _ROW_NAMES)
        if not is_row or any(name in names for name in _COMMENT_NAMES):
            continue
        if row.tag in ("html", "body"):
            continue
        rows += 1
        if rows > _MOST_ROWS:
            return
        for link in _iterate_links(row):
            label = _read_label(link)
            if is_next(label) or not any(map(str.isalnum, label)):
                yield link


def _find_elements(document: Document, attribute: str, text: str) -> list[etree._Element]:
    """Return the last elements with an attribute that contains a text."""
    found: list[etree._Element] = []
    for root in document.roots:
        found += holding_text(root, attribute, text)
    return found[-_MOST_FOUND:]


def _iterate_links(element: etree._Element) -> Iterator[etree._Element]:
    inside = islice(element.iter(etree.Element), _MOST_INSIDE)
    return (inner for inner in inside if inner.tag == "a")


def _read_label(element: etree._Element) -> str:
    """Return the text of a link or a button; "x" if it is longer than a label."""
    text = " ".join(beginning_of(element, 2 * _LONGEST_LABEL).split())
    return text if len(text) <= _LONGEST_LABEL else "x"
