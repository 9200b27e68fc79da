"""Buttons that are the title of what they open: a question with its answer, the name of a tab.

Frameworks use class names that say so. Other buttons are judged by their place: one in a term of a
list, or before a text without links and fields. A button without any sign of opening something must
be a question.
"""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from webquarry._read.html.tree import beginning_of, length_up_to

_OPENER_ATTRIBUTES = ("aria-expanded", "aria-controls", "data-bs-toggle")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")

_PANEL_CLASS = re.compile(
    r"(?i)accordion|faq|collaps|expand|question|toggle-title|summary|tabs?\b|tab[-_]"
)
_MENU_CLASS = re.compile(r"(?i)nav|menu|hamburger|search|close|share|cookie|dropdown")
# What a button does; it is no title.
_ACTION = re.compile(
    r"(?i)\W{0,3}(?:(?:re|un)?(?:read|show|view|see|load|learn|hide|open|close|toggle|expand"
    r"|collapse|more|less|menu|search|filter|sort|share|copy|save|print|add|subscribe|sign|log"
    r"|select|choose|skip|reply|report|mehr|weiter|weniger|alle|anzeigen|öffnen|schließen|suche"
    r"|voir|lire|afficher|plus|ouvrir|fermer|ver|leer|mostrar|más|abrir|cerrar|leggi|mostra|apri"
    r"|chiudi|mais|meer|toon|lees|więcej|pokaż|czytaj|показать|открыть|ещё|еще|читать)\b"
    r"|展开|更多|查看|打开|もっと|続き|開く|閉じる|メニュー|더 ?보기|열기)"
)
_MIN_TITLE = 4  # characters
_MAX_TITLE = 250
_MIN_ANSWER = 8
_MAX_EXAMINED = 400  # characters of the panel
_MAX_INSIDE = 60  # elements in it
_MAX_AROUND = 3  # boxes around a button, and elements behind it
_MAX_ANCESTORS = 8
_FIELDS = frozenset({"input", "select", "textarea", "nav", "form"})
_PAGE_PARTS = frozenset({"nav", "header", "footer", "form"})


def is_panel_button(button: etree._Element) -> bool:
    """Whether a button is the title of what it opens."""
    if button.get("role") == "tab":
        return True
    names = button.get("class") or ""
    is_opener = any(map(button.get, _OPENER_ATTRIBUTES))
    names_panel = is_opener and _PANEL_CLASS.search(names) is not None
    is_title = names_panel or _is_title(button, is_opener)
    return is_title and _MENU_CLASS.search(names) is None


def _is_title(button: etree._Element, is_opener: bool) -> bool:
    """Whether a button is the title of a text behind it, by its words and its place."""
    text = beginning_of(button, _MAX_TITLE).strip()
    if button.get("aria-haspopup") or not _MIN_TITLE <= len(text) <= _MAX_TITLE:
        return False
    parent = button.getparent()
    is_term = parent is not None and parent.tag == "dt"
    is_named = (is_opener or is_term) and not _ACTION.match(text)
    if not is_named and not text.endswith(_QUESTION_MARKS):
        return False
    panel = _find_next(button)
    if panel is None or not _is_answer(panel):
        return False
    around = islice(button.iterancestors(), _MAX_ANCESTORS)
    return all(element.tag not in _PAGE_PARTS for element in around)


def _find_next(button: etree._Element) -> etree._Element | None:
    """Return the next element with text after a button, or after a box that starts with it."""
    box = button
    for _ in range(_MAX_AROUND):
        for behind in islice(box.itersiblings(etree.Element), _MAX_AROUND):
            if length_up_to(behind, 1):
                return behind
        parent = box.getparent()
        if parent is None or box.getprevious() is not None:
            return None
        box = parent
    return None


def _is_answer(panel: etree._Element) -> bool:
    """Whether an element is a text without fields, and at least half of it without links."""
    linked = 0
    for inner in islice(panel.iter(etree.Element), _MAX_INSIDE):
        if inner.tag in _FIELDS:
            return False
        if inner.tag in ("a", "button"):
            linked += length_up_to(inner, _MAX_EXAMINED)
    length = length_up_to(panel, _MAX_EXAMINED)
    return length - linked >= max(_MIN_ANSWER, length // 2)
