"""Text for browsers without scripts, frames or plug-ins.

It is invisible, but some pages are nearly empty without it, such as forums with whole threads in
`noscript`: they are read as without scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from webquarry._read.html.tree import beginning_of, has_text, length_outside

FALLBACK_TAGS = frozenset({"noscript", "noframes", "noembed"})
_MIN_FALLBACK = 300  # characters
_MIN_RATIO = 3  # of the length of a fallback to that of the other text
_NO_TEXT = frozenset({"script", "style", "template", "title", "head"})
_MAX_REQUEST = 2_000  # characters of a text that only requests to enable scripts
_REQUEST_STARTS_WITHIN = 600


def is_read_without_scripts(roots: Sequence[etree._Element]) -> bool:
    """Whether a page is nearly empty without its fallbacks, and they are more than a request to
    enable scripts.
    """
    fallbacks = list(_find_fallbacks(roots))
    if not fallbacks:
        return False
    length = sum(length_outside(element, _NO_TEXT) for element in fallbacks)
    shown = sum(length_outside(root, _NO_TEXT) for root in roots) - length
    if length < max(_MIN_FALLBACK, _MIN_RATIO * shown):
        return False
    beginning = "".join(beginning_of(one, _REQUEST_STARTS_WITHIN) for one in fallbacks[:10])
    is_request = "javascript" in beginning[:_REQUEST_STARTS_WITHIN].lower()
    return length >= _MAX_REQUEST or not is_request


def drop_fallbacks(roots: Sequence[etree._Element]) -> None:
    """Give fallbacks a tag that is never read for main content."""
    for element in list(_find_fallbacks(roots)):
        element.tag = "noframes"


def _find_fallbacks(roots: Sequence[etree._Element]) -> Iterator[etree._Element]:
    """Yield the fallbacks that have text."""
    for root in roots:
        for element in root.iter(*FALLBACK_TAGS):
            if has_text(element):
                yield element
