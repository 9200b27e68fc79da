"""Headings with their places, and sections by name or number."""

from __future__ import annotations

import pytest

from tests.read.written import written
from webquarry._read.slices.outline import find_section, headings_of
from webquarry.errors import BadInput

PAGE = """\
Before.

# Tides

Words — with a dash.

## The *two* gaps

More.

### [Deep](https://a.org/) `code` \\[x\\] #

Deepest.

## Results

```python
# no heading
```

Results II
----------

End.
"""


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in headings_of(written(text))]


def test_headings_have_level_plain_title_and_number() -> None:
    assert titles(PAGE) == [
        (1, "Tides"),
        (2, "The two gaps"),
        (3, "Deep code [x]"),
        (2, "Results"),
        (2, "Results II"),
    ]
    assert [heading.number for heading in headings_of(written(PAGE))] == [1, 2, 3, 4, 5]


def test_places_are_lines_and_bytes_of_the_text() -> None:
    text = written(PAGE)
    data = text.data

    for heading in headings_of(text):
        line = data.split(b"\n")[heading.line - 1]
        assert data[heading.start :].startswith(line)
        assert data[: heading.start].count(b"\n") == heading.line - 1


def test_a_section_goes_on_to_the_next_heading_of_its_level_or_a_higher_one() -> None:
    text = written(PAGE)
    tides, gaps, deep, results, second = headings_of(text)

    assert (tides.stop, second.stop) == (len(text.data), len(text.data))
    assert (gaps.stop, deep.stop, results.stop) == (results.start, results.start, second.start)


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        ("results", 4),
        ("Results", 4),
        ("results ii", 5),
        ("THE TWO", 2),
        ("gaps", 2),
        ("3", 3),
        ("# Tides:", 1),
    ],
)
def test_a_section_is_found_by_its_heading_a_part_of_it_or_its_number(
    wanted: str, number: int
) -> None:
    assert find_section(headings_of(written(PAGE)), wanted).number == number


def test_a_heading_that_is_a_number_goes_before_the_number_of_a_heading() -> None:
    found = headings_of(written("# Years\n\n## 2024\n\n## 2\n\n## 1\n"))

    assert find_section(found, "2").title == "2"
    assert find_section(found, "2024").number == 2


def test_a_section_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(BadInput, match="no section 'Methods'") as caught:
        find_section(headings_of(written(PAGE)), "Methods")

    assert "1. Tides; 2. The two gaps" in caught.value.suggested_action
    with pytest.raises(BadInput) as caught:
        find_section([], "Methods")
    assert "no headings" in caught.value.suggested_action


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n---\n\nWords.\n",
        "~~~\n# code\n~~~\n",
        "````\n```\n# code\n```\n````\n",
        "- item\n---\n",
        "    # indented\n",
        "#no\n",
        "> # quoted\n",
        "",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert titles(text) == []
