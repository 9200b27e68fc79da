"""A button -> whether it is the title of what it opens: the question of an answer, the name of a
tab.

Frameworks call such buttons by names that say so, but most pages style them with names that say
nothing. There the place decides: a button that is a term of a list, or one before a text that no
menu and no form has. A button without any mark of opening something must be a question.
"""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from webquarry._native import WordSearch
from webquarry._read.html.tree import beginning_of, length_up_to

OPENER_ATTRIBUTES = ("aria-expanded", "aria-controls", "data-bs-toggle")
QUESTION_MARKS = ("?", "\uff1f", "\u061f")

_PANELS = "accordion|faq|collaps|expand|question|toggle-title|summary"
_PANEL_BUTTON = re.compile(rf"(?i){_PANELS}|tabs?\b|tab[-_]")
_PANEL_WORDS = WordSearch([*_PANELS.split("|"), "tab"])
_MENUS = "nav|menu|hamburger|search|close|share|cookie|dropdown"
_MENU_BUTTON = re.compile(f"(?i){_MENUS}")
_MENU_WORDS = WordSearch(_MENUS.split("|"))
# What a button does to the page or to what follows, which names nothing.
_ACTION = re.compile(
    r"(?i)\W{0,3}(?:(?:re|un)?(?:read|show|view|see|load|learn|hide|open|close|toggle|expand"
    r"|collapse|more|less|menu|search|filter|sort|share|copy|save|print|add|subscribe|sign|log"
    r"|select|choose|skip|reply|report|mehr|weiter|weniger|alle|anzeigen|öffnen|schließen|suche"
    r"|voir|lire|afficher|plus|ouvrir|fermer|ver|leer|mostrar|más|abrir|cerrar|leggi|mostra|apri"
    r"|chiudi|mais|meer|toon|lees|więcej|pokaż|czytaj|показать|открыть|ещё|еще|читать)\b"
    r"|展开|更多|查看|打开|もっと|続き|開く|閉じる|メニュー|더 ?보기|열기)"
)
_SHORTEST_TITLE = 4  # characters
_LONGEST_TITLE = 250
_SHORTEST_ANSWER = 8
_LOOKED_AT = 400  # characters of what is opened
_MOST_INSIDE = 60  # elements in it that are looked at
_MOST_AROUND = 3  # boxes around a button, and elements behind it
_MOST_ANCESTORS = 8
_LINKED = frozenset({"a", "button"})
_FIELDS = frozenset({"input", "select", "textarea", "nav", "form"})
_PAGE_PARTS = frozenset({"nav", "header", "footer", "form"})


def is_panel_button(button: etree._Element) -> bool:
    """Whether a button is the title of what it opens."""
    if button.get("role") == "tab":
        return True
    is_opener = any(map(button.get, OPENER_ATTRIBUTES))
    names = button.get("class") or ""
    if names.isascii():  # quicker than the patterns, of which some letters beyond are case variants
        names = names.lower()
        if _MENU_WORDS.is_any_in(names):
            return False
        is_named = _PANEL_WORDS.is_any_in(names)
    elif _MENU_BUTTON.search(names):
        return False
    else:
        is_named = True
    if is_opener and is_named and _PANEL_BUTTON.search(names) is not None:
        return True
    return _is_title(button, is_opener)


def _is_title(button: etree._Element, is_opener: bool) -> bool:
    """Whether a button, by its words and its place, is the title of a text behind it."""
    if button.get("aria-haspopup"):
        return False
    is_term = _is_term(button)
    text = beginning_of(button, _LONGEST_TITLE).strip()
    if not _SHORTEST_TITLE <= len(text) <= _LONGEST_TITLE:
        return False
    is_question = text.endswith(QUESTION_MARKS)
    if not is_question and (not (is_opener or is_term) or _ACTION.match(text)):
        return False
    panel = _find_behind(button)
    if panel is None or not _holds_answer(panel):
        return False
    around = islice(button.iterancestors(), _MOST_ANCESTORS)
    return all(element.tag not in _PAGE_PARTS for element in around)


def _is_term(button: etree._Element) -> bool:
    """Whether a button stands in the term of a list of definitions."""
    parent = button.getparent()
    return parent is not None and parent.tag == "dt"


def _find_behind(button: etree._Element) -> etree._Element | None:
    """The element with text behind a button, or behind a box that begins with it."""
    box = button
    for _ in range(_MOST_AROUND):
        for behind in islice(box.itersiblings(etree.Element), _MOST_AROUND):
            if length_up_to(behind, 1):
                return behind
        parent = box.getparent()
        if parent is None or box.getprevious() is not None:
            return None
        box = parent
    return None


def _holds_answer(panel: etree._Element) -> bool:
    """Whether an element holds a text that is neither links nor fields."""
    linked = 0
    for inner in islice(panel.iter(etree.Element), _MOST_INSIDE):
        if inner.tag in _FIELDS:
            return False
        if inner.tag in _LINKED:
            linked += length_up_to(inner, _LOOKED_AT)
    length = length_up_to(panel, _LOOKED_AT)
    return length - linked >= max(_SHORTEST_ANSWER, length // 2)
