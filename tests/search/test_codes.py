"""Codes of languages and countries."""

from __future__ import annotations

import pytest

from webquarry._search.codes import COUNTRIES, LANGUAGES, country_code, language_code
from webquarry.errors import BadInput


def test_codes_are_taken_in_any_case() -> None:
    assert (language_code(" EN "), country_code("gb")) == ("en", "GB")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "xx",
        "en-US",
    ],
)
def test_unknown_language_is_bad_input(value: str) -> None:
    with pytest.raises(BadInput, match="ISO 639-1"):
        language_code(value)


@pytest.mark.parametrize(
    "value",
    [
        "USA",
        "XX",
        "UK",
    ],
)
def test_unknown_country_is_bad_input(value: str) -> None:
    with pytest.raises(BadInput, match="ISO 3166-1"):
        country_code(value)


def test_the_usual_mistake_is_answered_with_the_code_that_was_meant() -> None:
    with pytest.raises(BadInput) as caught:
        country_code("uk")
    assert "GB" in caught.value.suggested_action


def test_every_code_has_two_letters_and_none_is_missing() -> None:
    assert all(len(code) == 2 and code.isascii() and code.islower() for code in LANGUAGES)
    assert all(len(code) == 2 and code.isascii() and code.isupper() for code in COUNTRIES)
    assert (len(LANGUAGES), len(COUNTRIES)) == (184, 249)
