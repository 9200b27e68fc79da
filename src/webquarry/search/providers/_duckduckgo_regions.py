"""Language and country -> the region that DuckDuckGo calls `kl`.

A region is a country and one of its languages, in spellings of DuckDuckGo's own (`uk-en`, `jp-jp`,
`tw-tzh`). The first region of a language is its home, the first one of a country is what most
people there read.
"""

from __future__ import annotations

_KNOWN = """
us-en uk-en de-de fr-fr es-es it-it nl-nl pt-pt ru-ru jp-jp kr-kr cn-zh pl-pl cz-cs dk-da se-sv no-no fi-fi gr-el hu-hu
bg-bg hr-hr ee-et lv-lv lt-lt ro-ro sk-sk sl-sl tr-tr ua-uk il-he is-is id-id my-ms th-th vn-vi xa-ar ct-ca ph-tl
ar-es at-de au-en be-nl be-fr br-pt ca-en ca-fr ch-de ch-fr ch-it cl-es co-es hk-tzh ie-en id-en in-en mx-es my-en nz-en
pe-es ph-en pk-en sg-en tw-tzh us-es ve-es xa-en za-en
"""
_COUNTRIES = {
    "uk": "GB",
    "sl": "SI",
    "xa": "SA",
    "ct": "ES",
}  # Arabia, and Catalonia as a part of Spain
_LANGUAGES = {"tzh": "zh", "jp": "ja", "kr": "ko"}
_ALSO = {"nb": "no", "nn": "no", "fil": "tl"}


def _parts(region: str) -> tuple[str, str]:
    country, _, language = region.partition("-")
    return _LANGUAGES.get(language, language), _COUNTRIES.get(country, country.upper())


_LAST_TO_FIRST = _KNOWN.split()[::-1]  # so that the first of several stays
_BY_BOTH = {_parts(region): region for region in _LAST_TO_FIRST}
_BY_LANGUAGE = {_parts(region)[0]: region for region in _LAST_TO_FIRST}
_BY_COUNTRY = {_parts(region)[1]: region for region in _LAST_TO_FIRST}


def region_of(language: str | None, country: str | None) -> tuple[str | None, frozenset[str]]:
    """The region, and which of the two wishes it fulfils.

    Where a country is not had in the language asked for, the language counts: the reader has to
    understand the page.
    """
    language = _ALSO.get(language, language) if language else None
    if language and country and (both := _BY_BOTH.get((language, country))):
        return both, frozenset({"language", "country"})
    if language and (home := _BY_LANGUAGE.get(language)):
        return home, frozenset({"language"})
    if country and (usual := _BY_COUNTRY.get(country)):
        return usual, frozenset({"country"})
    return None, frozenset()
