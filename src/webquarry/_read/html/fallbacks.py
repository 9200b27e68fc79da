"""What browsers show only without scripts, frames or plug-ins -> whether it counts on a page.

Nobody with an ordinary browser sees it. But some pages are next to nothing without it, forums that
keep whole threads there among them: these are read as if without scripts.
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from webquarry._read.html.tree import has_text, length_outside

FALLBACK_TAGS = frozenset({"noscript", "noframes", "noembed"})
LEAST_FALLBACK = 300  # characters
FALLBACK_RATIO = 3  # a fallback that is worth showing is so many times as long as what is shown
_NOT_TEXT = frozenset({"script", "style", "template", "title", "head"})

Element = etree._Element


def is_read_without_scripts(roots: Sequence[Element]) -> bool:
    """Whether a page is next to nothing without its fallbacks for browsers without scripts."""
    length = sum(length_outside(element, _NOT_TEXT) for element in _find_fallbacks(roots))
    shown = sum(length_outside(root, _NOT_TEXT) for root in roots) - length
    return length >= max(LEAST_FALLBACK, FALLBACK_RATIO * shown)


def drop_fallbacks(roots: Sequence[Element]) -> None:
    """Rename the fallbacks for browsers without scripts to something that is never read for the
    point of a page.
    """
    for element in _find_fallbacks(roots):
        element.tag = "noframes"


def _find_fallbacks(roots: Sequence[Element]) -> list[Element]:
    return [element for root in roots for element in root.iter("noscript") if has_text(element)]
