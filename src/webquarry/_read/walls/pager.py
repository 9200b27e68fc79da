"""A page whose main part is a list -> whether the list goes on elsewhere: a row of links to pages
with higher numbers, a link to older entries, a button right behind the items.

Such a row stands below articles too, where it pages through comments or other articles; so only
lists are asked, and only links to more of what is at their own address count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from lxml import etree

from webquarry._read.html.page_blocks import PageBlocks
from webquarry._read.html.parse import Document
from webquarry._read.html.tree import beginning_of, holding_text
from webquarry._search.replies.addresses import join_url, split_url

_LONGEST_TAIL = 300  # of an address
_LONGEST_LABEL = 40  # characters of a link or a button
_MOST_ROWS = 20  # elements that are called like a row of pages
_MOST_INSIDE = 300  # elements in one of them, or in an item
_MOST_NEXT = 10  # links in the head
_MOST_FOUND = 200  # elements that may belong to one
_MOST_BUTTONS = 200
_FEWEST_ITEMS = 3
_MOST_BEFORE = 40  # elements before a button
_FEWEST_LINKED = 4  # items of a list that goes on
_LINKED_SHARE = 0.3  # of its texts

# An article has a next one, too; the next page of something has a number.
_NUMBERED = re.compile(
    r"(?i)[?&/;](?:page|p|pg|pn|paged|pagenumber|seite|pagina|strona|start|startat|offset|from)"
    r"[-=/]?(\d{1,6})\b"
)
_ROW = re.compile(r"(?i)paginat|pager\b|page-?_?numbers|page-link")
_COMMENTS = re.compile(r"(?i)comment|review|repl(?:y|ies)|kommentar|comentario")
_NEXT = re.compile(
    r"(?i)\W*(?:\d{1,5}|(?:next|older|more)(?: \w{1,12})?|weiter|nächste(?: seite)?|ältere \w{1,12}"
    r"|suivante?s?|page suivante|siguiente|próxima?|seguinte|successiv[ao]|avanti|volgende|następna"
    r"|nästa|neste|næste|seuraava|sonraki|далее|следующая|вперед|下一页|下一頁|下页|次へ|次のページ"
    r"|다음)?\W*$"
)
_SECOND = re.compile(r"(?i)\W*(?:2|[^\W\d].*)$")
_OLDER = re.compile(
    r"(?i)\W*(?:(?:see |view |read )?older (?:posts|entries|articles|stories)"
    r"|ältere (?:beiträge|artikel|einträge))\W*$"
)
_SHOW_MORE = re.compile(
    r"(?i)\W*(?:(?:show|see|view) more|more|mehr (?:an)?zeigen|voir plus|afficher plus|ver más"
    r"|mostrar más|ver mais|mostra altri?|toon meer|pokaż więcej|visa fler|vis flere|vis mer"
    r"|показать (?:ещё|еще)|もっと見る|查看更多|더 ?보기)\W*$"
)


def is_linked_list(blocks: PageBlocks) -> bool:
    """Whether enough of the main part are links that it is a list of things to go to."""
    kept = blocks.kept
    if len(kept) < _FEWEST_LINKED:
        return False
    linked = sum([blocks.is_link(index) for index in kept])
    return linked >= max(_FEWEST_LINKED, _LINKED_SHARE * len(kept))


def leads_on(url: str, href: str, *, to_index: bool = False) -> bool:
    """Whether an address is a page with a number of what is at a URL, or of an index that the URL
    lies below.
    """
    if not _NUMBERED.search(href[-_LONGEST_TAIL:]):
        return False
    try:
        here, there = split_url(url), split_url(join_url(url, href.strip()))
    except ValueError:  # the page's own words, which need not be a URL
        return False
    if here.netloc != there.netloc:
        return False
    stem = _NUMBERED.sub("", here.path).rstrip("/")
    index = _NUMBERED.sub("", there.path).rstrip("/")
    return there.path.startswith(stem) or (to_index and stem.startswith(index))


def has_later_page(url: str, document: Document) -> bool:
    """Whether a page with a list links to a later one of the same list."""
    here = _read_number(url)
    if any(_is_later(url, link, here) for link in _find_next_heads(document)):
        return True
    links = chain(_find_row_links(document), _find_older_links(document))
    return any(_is_later(url, link, here) for link in links)


def _is_later(url: str, link: etree._Element, here: int) -> bool:
    """Whether a link leads to a page with a higher number than this one has. Where this one has
    none, it is the first, which is number 0 on some sites: there the label tells the second.
    """
    href = link.get("href") or ""
    number = _read_number(href)
    is_second = number == 1 and here == 0 and _SECOND.match(_read_label(link)) is not None
    return (number > max(here, 1) or is_second) and leads_on(url, href, to_index=True)


def _read_number(address: str) -> int:
    """The number of a page in an address; the first page often has none."""
    found = _NUMBERED.search(address[-_LONGEST_TAIL:])
    if found is None:
        return 0
    return int(found[1])


def _find_next_heads(document: Document) -> list[etree._Element]:
    """The next pages that a page names in its head."""
    found = _find_holding(document, "rel", "next")
    return [element for element in found if element.tag == "link"][:_MOST_NEXT]


def _find_row_links(document: Document) -> Iterator[etree._Element]:
    """The links in what is called a row of pages, that are labelled as such."""
    rows = 0
    for row in _find_holding(document, "class", "page") + _find_holding(
        document, "class", "aginat"
    ):
        names = f"{row.get('class')} {row.get('id') or ''}"
        if not _ROW.search(names) or _COMMENTS.search(names) or row.tag in ("html", "body"):
            continue
        rows += 1
        if rows > _MOST_ROWS:
            return
        for link in _iterate_links(row):
            if _NEXT.match(_read_label(link)):
                yield link


def _find_older_links(document: Document) -> Iterator[etree._Element]:
    """The links to older entries."""
    for link in _find_holding(document, "href", "page"):
        if _OLDER.match(_read_label(link)):
            yield link


def _find_holding(document: Document, name: str, text: str) -> list[etree._Element]:
    """The last elements with an attribute of a name that holds a text: a row of pages stands below
    its list.
    """
    found: list[etree._Element] = []
    for root in document.roots:
        found += holding_text(root, name, text)
    return found[-_MOST_FOUND:]


def has_button_behind_items(document: Document, blocks: PageBlocks) -> bool:
    """Whether a button for more stands right behind items that are kept: lists of filters beside
    the main part have such buttons too.
    """
    kept = {blocks.texts[index] for index in blocks.kept}
    buttons = chain.from_iterable(root.iter("button") for root in document.roots)
    for button in islice(buttons, _MOST_BUTTONS):
        if _SHOW_MORE.match(_read_label(button)) and _is_behind_items(button, kept):
            return True
    return False


def _is_behind_items(button: etree._Element, kept: set[str]) -> bool:
    """Whether elements that are built alike stand right before a button, and the last of them
    links to something that is kept.
    """
    for box in (button, button.getparent()):
        if box is None:
            return False
        before = list(islice(box.itersiblings(etree.Element, preceding=True), _MOST_BEFORE))
        if not before:
            continue
        items: Sequence[etree._Element] = before
        if not _are_alike(items):
            items = list(islice(before[0].iterchildren(etree.Element, reversed=True), _MOST_BEFORE))
        if not _are_alike(items):
            return False
        return any(_read_text(link) in kept for link in _iterate_links(items[0]))
    return False


def _are_alike(elements: Sequence[etree._Element]) -> bool:
    """Whether the first elements have one and the same tag and class."""
    kinds = {(one.tag, one.get("class")) for one in elements[:_FEWEST_ITEMS]}
    return len(elements) >= _FEWEST_ITEMS and len(kinds) == 1


def _iterate_links(element: etree._Element) -> Iterator[etree._Element]:
    """The links among the first elements of one."""
    inside = islice(element.iter(etree.Element), _MOST_INSIDE)
    return (inner for inner in inside if inner.tag == "a")


def _read_text(element: etree._Element) -> str:
    return " ".join(beginning_of(element, 2 * _LONGEST_TAIL).split())


def _read_label(element: etree._Element) -> str:
    """The words on a link or a button; of more than such have, so much that it is known."""
    text = " ".join(beginning_of(element, 2 * _LONGEST_LABEL).split())
    if len(text) > _LONGEST_LABEL:
        return "x" * _LONGEST_LABEL
    return text
