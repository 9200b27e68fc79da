"""The countries and languages that Brave lists, some of the languages under codes of its own (`jp`,
`zh-hans`).
"""

from __future__ import annotations

from webquarry._search.models import Query

_LISTED_COUNTRIES = """
AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE
TR TW US ZA
"""
_LISTED_LANGUAGES = """
ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa
pl pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant
"""
_COUNTRIES = frozenset(_LISTED_COUNTRIES.split())
_LANGUAGES = frozenset(_LISTED_LANGUAGES.split())
_OWN = {"ja": "jp", "no": "nb", "nn": "nb"}
_TRADITIONAL = frozenset({"HK", "MO", "TW"})


def country_code(query: Query) -> str | None:
    """The country of the query; None when there is none, or none that Brave knows."""
    if query.country in _COUNTRIES:
        return query.country
    return None


def language_code(query: Query) -> str | None:
    """The language of the query; None when there is none, or none that Brave knows."""
    if query.language == "pt":
        return "pt-pt" if query.country == "PT" else "pt-br"
    if query.language == "zh":
        return "zh-hant" if query.country in _TRADITIONAL else "zh-hans"
    language = _OWN.get(query.language or "", query.language)
    if language in _LANGUAGES:
        return language
    return None
