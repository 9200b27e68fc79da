"""Symbols of the classification: checked, and found among those of a patent."""

from __future__ import annotations

import pytest

from webquarry._search.patents.provider import bears, cpc_symbol
from webquarry.errors import BadInput


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("h04w", "H04W"),
        ("H04W 4/02", "H04W4/02"),
        (" H01M  10/0525 ", "H01M10/0525"),
        ("Y02E", "Y02E"),
        ("H04", "H04"),
    ],
)
def test_a_symbol_is_written_without_blanks(written: str, symbol: str) -> None:
    assert cpc_symbol(written) == symbol


@pytest.mark.parametrize(
    "written",
    [
        "",
        "I04W",
        "H04W4/",
        "H04W OR ti=x",
        "H04W*",
    ],
)
def test_invalid_symbol_is_bad_input(written: str) -> None:
    with pytest.raises(BadInput, match="not a symbol of the CPC"):
        cpc_symbol(written)


@pytest.mark.parametrize(
    ("wanted", "borne"),
    [
        ("F03", True),
        ("F03B13", True),
        ("F03B13/00", True),
        ("F03B13/26", True),
        ("F03B1", False),
        ("F03C", False),
    ],
)
def test_a_symbol_covers_what_lies_below_it(wanted: str, borne: bool) -> None:
    assert bears(["Y02E10/30", "F03B13/264"], wanted) is borne
