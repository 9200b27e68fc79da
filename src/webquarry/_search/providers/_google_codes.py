"""Languages and countries as Google spells them and the length of its queries, for everybody who
asks Google.
"""

from __future__ import annotations

from webquarry._search.models import Query

MAX_CHARACTERS = 2048  # of a query
MAX_WORDS = 32  # Google passes over the words after these, and operators are words
# Google takes these for the language of a page (`lr=lang_..`), and no others.
_KNOWN = """
ar bg ca cs da de el en es et fi fr hr hu id is it iw ja ko lt lv nl no pl pt ro ru sk sl sr sv tr
zh-CN zh-TW
"""
_LANGUAGES = frozenset(_KNOWN.split())
_OWN = {"he": "iw", "nb": "no", "nn": "no", "zh": "zh-CN"}
_TRADITIONAL = frozenset({"HK", "MO", "TW"})


def language_code(query: Query) -> str | None:
    """The language of the query in Google's spelling; None when there is none, or none that Google
    can tell.
    """
    if query.language == "zh" and query.country in _TRADITIONAL:
        return "zh-TW"
    language = _OWN.get(query.language or "", query.language)
    if language in _LANGUAGES:
        return language
    return None


def country_code(query: Query) -> str | None:
    """The country of the query as `gl` takes it."""
    if query.country:
        return {"GB": "uk"}.get(query.country, query.country.lower())
    return None


def fits_in_query(text: str) -> bool:
    """Whether Google reads a query of this length to its end."""
    return len(text) <= MAX_CHARACTERS and len(text.split()) <= MAX_WORDS
