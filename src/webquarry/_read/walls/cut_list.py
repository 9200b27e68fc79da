"""Pages that say themselves that there is more of them: "1-24 of 1,312 results", "page 1 of 9", a
button "load more" under a list. `pager.py` knows the lists that go on elsewhere.

Only what the page says in a short text of its own counts, and only beside the main part: the
comments under an article, its pictures and stars are numbered too. A list that is whole says so in
the same words ("1-12 of 12").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from lxml import etree

from webquarry._read.html.page_blocks import PageBlocks
from webquarry._read.html.parse import Document
from webquarry._read.html.tree import beginning_of
from webquarry._read.text.search import find_numbered, holds_folded
from webquarry._read.walls.pager import (
    has_button_behind_items,
    has_later_page,
    is_linked_list,
    leads_on,
)

_LONGEST = 90  # characters of a text that counts something
_LONGEST_BUTTON = 40
_MOST_BUTTONS = 200
_QUOTING_TAGS = frozenset({"pre", "code", "blockquote"})
_LONGEST_PAGER = 200
_MOST_LINKS = 4
_MOST_ANCESTORS = 4
_NEAR = 25  # blocks between a count and the list
_FEWEST_NEAR = 3
_FEWEST_ITEMS = 8  # where nothing else tells a list from a row of pictures
_LONG_ITEM = 300  # characters; what is longer is a paragraph

_NUMBERS = re.compile(r"\d\D{1,40}\d")
_NEXT_PAGE = b'rel="next"'
_NUMBER = r"(\d[\d.,'\u00a0\u202f]{0,14})"
_OF = r"(?:out of|of|from|von|sur|de|di|van|z|ze|из|av|af|fra|/)"
_VERB = (
    r"(?:(?:now |currently )?(?:showing|displaying|viewing)|you(?:'ve| have)? (?:viewed|seen"
    r"|are viewing)"
    r"|zeige|angezeigt(?: werden)?|es werden|affichage(?: de)?|mostrando|visualizzat[ei]|exibindo"
    r"|toont|pokazano|показан[оы]"
    r"|visar|viser)"
)
_NOUN = (
    r"(?:results?|items?|products?|entries|articles?|posts?|listings?|matches|hits|records|jobs"
    r"|properties|homes"
    r"|cars|vehicles|books|titles|events|stories|recipes|films|movies|topics|threads|offers|deals"
    r"|documents"
    r"|ergebniss?en?|artikeln?|produkten?|treffern?|einträgen?|angeboten?|anzeigen|résultats?"
    r"|produits|annonces"
    r"|offres|resultados|productos|artículos|anuncios|ofertas|risultati|prodotti|articoli|annunci"
    r"|resultaten"
    r"|producten|advertenties|wyników|produktów|ofert|ogłoszeń|результат\w{0,4}|товар\w{0,4}"
    r"|объявлени\w{0,3}"
    r"|produtos|itens|artigos|resultat\w{0,3}|produkter|träffar)"
)
_COUNT = re.compile(
    rf"(?i)\W{{0,3}}(?P<verb>{_VERB}\W{{1,3}})?(?P<first>(?:all )?{_NOUN}\W{{1,3}})?(?:\d"
    rf"[\d.,]{{0,9}}\s?(?:-|–|—|to|bis|à|a|do)\s?)?"
    rf"(?P<shown>{_NUMBER})\s?(?:{_NOUN} )?{_OF}\s(?:about |over |more than |ca\. |über "
    rf"|insgesamt )?"
    rf"(?P<total>{_NUMBER})\+?(?P<last>\W{{1,3}}(?:\w{{1,20}} ){{0,2}}{_NOUN})?(?: (?:shown"
    rf"|displayed|angezeigt|found))?\W{{0,3}}$"
)
_ASIAN_COUNT = re.compile(
    rf"\W{{0,3}}(?:全|共)?(?P<total>{_NUMBER})\s?(?:件中"
    rf"|条中)\D{{0,4}}(?:\d+\s?[-~〜～–]\s?)?(?P<shown>{_NUMBER})\s?(?:件|条)"
)
_PAGE = re.compile(
    rf"(?i)\W{{0,3}}(?:page|seite|página|pagina|strona|страница|sida|side|sivu"
    rf"|sayfa)\s(?P<shown>\d{{1,6}})\s?"
    rf"{_OF}\s?(?P<total>{_NUMBER})\b"
)
_ASIAN_PAGE = re.compile(
    r"\W{0,3}(?:[共全]\s?\d{1,9}\s?[条條件筆笔个個]\D{0,4})?"
    r"第\s?(?P<shown>\d{1,6})\s?(?:页|頁|ページ)?\D{0,4}(?:共|/)\s?(?P<total>\d{1,6})\s?(?:页|頁|ページ)"
)
_MORE = re.compile(
    r"(?i)(?!.{0,40}(?:comment|repl(?:y|ies)|review|answer|kommentar|comentario))"
    r"\W{0,3}(?:load more(?: [\w ]{1,30})?|(?:show|view|see) more (?:results|items|products"
    r"|articles|posts"
    r"|stories|listings|jobs|events)|more results|(?:show|load) (?:the )?next \d+[\w ]{0,20}"
    r"|mehr (?:laden|ergebnisse)"
    r"|weitere (?:ergebnisse|artikel|produkte|einträge|treffer)?\s?(?:laden|anzeigen)"
    r"|charger plus(?: [\w' ]{1,30})?"
    r"|(?:afficher|voir) plus d(?:e |')(?:résultats|produits|articles|annonces)"
    r"|cargar más(?: [\w ]{1,30})?"
    r"|(?:mostrar|ver) más (?:resultados|productos|artículos)|carica (?:altro"
    r"|altri)(?: [\w ]{1,30})?"
    r"|carregar mais(?: [\w ]{1,30})?|(?:laad|toon) meer (?:resultaten|producten|artikelen)"
    r"|laad meer"
    r"|(?:załaduj|wczytaj) więcej|pokaż więcej (?:wyników|produktów|ofert)|загрузить (?:ещё|еще)"
    r"|показать (?:ещё|еще)(?: \d+)?(?: \w{1,20})?|ladda fler|last inn flere|もっと読み込む"
    r"|さらに読み込む|加载更多"
    r"|載入更多"
    r"|더 ?불러오기)\W{0,3}$"
)
_NEXT_LINKS = "descendant::a[@rel='next' and @href]"


@dataclass(frozen=True)
class _PartOf:
    """So many of so many."""

    shown: int
    total: int

    def describe(self, verb: str) -> str:
        """A clause of our own words: a note is no place for those of a page."""
        return f"{verb}{self.shown:,} of {self.total:,}"


def find_more(url: str, document: Document, blocks: PageBlocks) -> str | None:
    """What a page says about how much more there is of it, or None: a clause that follows "the
    page".
    """
    kept = blocks.kept
    is_list = _is_list(blocks)
    for index in find_numbered(list(blocks.texts), _LONGEST):
        text = blocks.texts[index]
        if not _NUMBERS.search(text):
            continue
        if blocks.tag_around(index) in _QUOTING_TAGS:
            continue
        pages = _read_page(text)
        if pages and _is_near(index, kept):
            return pages.describe("is page ")
        items = _read_count(text)
        if items and _counts_main_part(index, items.shown, blocks, is_list):
            return items.describe("shows ")
    goes_on = is_list and is_linked_list(blocks)
    if goes_on and _ends_with_more(document, blocks):
        return "has a button that loads more"
    next_page = _find_next_page(url, document)
    if next_page is None and goes_on and has_later_page(url, document):
        return "has a next one"
    return next_page


def _counts_main_part(index: int, shown: int, blocks: PageBlocks, is_list: bool) -> bool:
    """Whether a count of so many items, at some place, is one of the main part."""
    near = _find_near(index, blocks.kept)
    linked = sum(blocks.is_link(one) for one in near)
    if linked >= _FEWEST_NEAR:
        return True
    return len(near) >= _FEWEST_NEAR and shown >= _FEWEST_ITEMS and is_list


def _is_list(blocks: PageBlocks) -> bool:
    """Whether the main part is more of a list than a text."""
    paragraphs = sum([size for size in blocks.kept_sizes if size > _LONG_ITEM])
    return paragraphs <= blocks.size // 2


def _read_count(text: str) -> _PartOf | None:
    """How many items a text says are shown of how many, if that is not all of them."""
    found = _COUNT.match(text)
    if found and not (found["verb"] or found["first"] or found["last"]):
        return None
    if found is None and not text.isascii():
        found = _ASIAN_COUNT.match(text)
    return _read_numbers(found)


def _read_page(text: str) -> _PartOf | None:
    """Which page of how many a text says that this is, if it is not the last."""
    found = _PAGE.match(text)
    if found is None and not text.isascii():
        found = _ASIAN_PAGE.match(text)
    return _read_numbers(found)


def _read_numbers(found: re.Match[str] | None) -> _PartOf | None:
    if found is None:
        return None
    count = _PartOf(_read_number(found["shown"]), _read_number(found["total"]))
    if 0 < count.shown < count.total:
        return count
    return None


def _read_number(written: str) -> int:
    digits = "".join(character for character in written if character.isdecimal())
    return int(digits or 0)


def _is_near(index: int, kept: Sequence[int]) -> bool:
    """Whether a text stands beside the main part."""
    return len(_find_near(index, kept)) >= _FEWEST_NEAR


def _find_near(index: int, kept: Sequence[int]) -> Sequence[int]:
    """Those of the main part that stand near a text."""
    first = bisect_left(kept, index - _NEAR)
    return kept[first : bisect_right(kept, index + _NEAR)]


def _ends_with_more(document: Document, blocks: PageBlocks) -> bool:
    """Whether a main part that is a list has a link or a button for more of it behind it."""
    end = blocks.kept[-1]
    texts = blocks.texts[end : end + 4]
    if any(len(text) <= _LONGEST_BUTTON and _MORE.match(text) for text in texts):
        return True
    buttons = chain.from_iterable(root.iter("button") for root in document.roots)
    if any(_loads_more(button) for button in islice(buttons, _MOST_BUTTONS)):
        return True
    return has_button_behind_items(document, blocks)


def _loads_more(button: etree._Element) -> bool:
    """Whether a button loads more of what the page is about."""
    text = " ".join(beginning_of(button, 2 * _LONGEST_BUTTON).split())
    if len(text) > _LONGEST_BUTTON or not _MORE.match(text):
        return False
    return next(button.iterancestors("nav", "footer", "aside", "dialog"), None) is None


def _find_next_page(url: str, document: Document) -> str | None:
    """What is said around the link to a next page of the same thing: it stands in a part of the
    page that is never its main part.
    """
    # most pages have none, which the first way finds out faster
    if not holds_folded(document.data, _NEXT_PAGE) or _NEXT_PAGE not in document.data:
        return None
    links: list[Any] = []
    for root in document.roots:
        found: Any = root.xpath(_NEXT_LINKS)
        links += [link for link in found if leads_on(url, link.get("href"))]
    for link in links[:_MOST_LINKS]:
        for element in islice(link.iterancestors(), _MOST_ANCESTORS):
            text = " ".join(beginning_of(element, _LONGEST_PAGER).split())
            pages = _read_page(text)
            if pages:
                return pages.describe("is page ")
    if links:
        return "has a next one"
    return None
