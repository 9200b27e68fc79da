"""Language and country -> the region that DuckDuckGo calls `kl`.

A region is a country and one of its languages, in spellings of DuckDuckGo's own (`uk-en`, `jp-jp`,
`tw-tzh`). The first region of a language is its home, the first one of a country is what most
people there read.
"""

from __future__ import annotations

_KNOWN = """
us-en uk-en de-de fr-fr es-es it-it nl-nl pt-pt ru-ru jp-jp kr-kr cn-zh pl-pl cz-cs dk-da se-sv
no-no fi-fi gr-el hu-hu bg-bg hr-hr ee-et lv-lv lt-lt ro-ro sk-sk sl-sl tr-tr ua-uk il-he is-is
id-id my-ms th-th vn-vi xa-ar ct-ca ph-tl ar-es at-de au-en be-nl be-fr br-pt ca-en ca-fr ch-de
ch-fr ch-it cl-es co-es hk-tzh ie-en id-en in-en mx-es my-en nz-en pe-es ph-en pk-en sg-en tw-tzh
us-es ve-es xa-en za-en
"""
# Arabia is asked for as Saudi Arabia, and Catalonia as a part of Spain.
_COUNTRIES = {"uk": "GB", "sl": "SI", "xa": "SA", "ct": "ES"}
_LANGUAGES = {"tzh": "zh", "jp": "ja", "kr": "ko"}
_ALSO = {"nb": "no", "nn": "no", "fil": "tl"}


_BY_BOTH: dict[tuple[str, str], str] = {}
_BY_LANGUAGE: dict[str, str] = {}
_BY_COUNTRY: dict[str, str] = {}
for _region in _KNOWN.split():
    _country_part, _, _language_part = _region.partition("-")
    _language = _LANGUAGES.get(_language_part, _language_part)
    _country = _COUNTRIES.get(_country_part, _country_part.upper())
    _BY_BOTH.setdefault((_language, _country), _region)  # the first of several stays
    _BY_LANGUAGE.setdefault(_language, _region)
    _BY_COUNTRY.setdefault(_country, _region)


def region_of(language: str | None, country: str | None) -> tuple[str | None, frozenset[str]]:
    """The region, and which of the two it stands for: the language, the country or both.

    Where a country is not had in the language asked for, the language counts: the reader has to
    understand the page.
    """
    if language:
        language = _ALSO.get(language, language)
    if language and country:
        region = _BY_BOTH.get((language, country))
        if region:
            return region, frozenset({"language", "country"})
    if language in _BY_LANGUAGE:
        return _BY_LANGUAGE[language], frozenset({"language"})
    if country in _BY_COUNTRY:
        return _BY_COUNTRY[country], frozenset({"country"})
    return None, frozenset()
