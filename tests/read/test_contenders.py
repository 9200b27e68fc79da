"""The rules that contend with others are found by what their elements must have, and by nothing
else.
"""

from __future__ import annotations

import pytest

from webquarry.read.css.nesting import RawRule
from webquarry.read.css.rules import ALWAYS
from webquarry.read.visibility.sheet.contenders import Contenders


@pytest.mark.parametrize(
    ("selectors", "keys"),
    [
        (b"p.a b", ["b"]),
        (b":root :where(.a b, c.D)", ["b", ".d"]),
        (b":where(section h1, nav h2)", ["h1", "h2"]),
        (b":is(.x :where(#i))", ["#i"]),
        (b":where(.x, :not(.y))", ["*"]),
        (b":where(.x):hover", ["*"]),
        (b":where(.x) *", ["*"]),
        (b":where(p) i", ["i"]),
        (b".b > [data-row='a b']::after", ["[data-row"]),
        (b"[x] [y|=z]", ["[y"]),
        (b"[ns|x]", ["*"]),
        (b":root", ["html"]),
        (b"*", ["*"]),
    ],
)
def test_a_rule_is_found_by_the_last_names_of_its_selectors(
    selectors: bytes, keys: list[str]
) -> None:
    rule = RawRule(selectors, b"color:red", ALWAYS, 0)
    contenders = Contenders([rule], lambda: [b"color"])
    names = [
        "*",
        "html",
        "b",
        "i",
        "p",
        "h1",
        "h2",
        ".a",
        ".b",
        ".d",
        ".x",
        "#i",
        "[data-row",
        "[x",
        "[y",
    ]

    assert [name for name in names if contenders.find(name)] == [
        name for name in names if name in keys
    ]
    assert contenders.has_attributes() is any(key[0] == "[" for key in keys)


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        (b"color:red", True),
        (b"a:b", False),
        (b"COL:b", True),
        (b"c\\6f l:b", True),
        (b"word70:b", True),
    ],
)
def test_only_rules_about_properties_that_matter_are_found(body: bytes, is_found: bool) -> None:
    words = [b"color", *(b"word%d" % number for number in range(80))]
    contenders = Contenders([RawRule(b"p", body, ALWAYS, 0)], lambda: words)

    assert bool(contenders.find("p")) is is_found
