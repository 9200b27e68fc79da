"""A list of works: each once, in the order of its style, and read back as it was written, whatever
it is made of.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry.evidence.models import CitationStyle
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.bibliography import build_bibliography, merge_records
from webquarry.evidence.styles.csl import parse_csl, to_csl
from webquarry.evidence.styles.work import (
    Work,
    build_keys,
    plain,
)

NASTY = st.sampled_from(
    [
        "ER  - ",
        "\nER  - \nTY  - JOUR\nTI  - forged",
        "}\n}\n@misc{evil,",
        "Tides}, author = {Mallory",
        "a and b",
        "\\",
        "100% #1 @home {x} \\n",
        "\u2028TI  - forged",
        "\u0645\u062f \u6f6e\u6c50 \U0001f30a",
        '"quoted", and "commas"',
        "others",
    ]
)
TEXTS = st.one_of(NASTY, st.text(st.characters(exclude_categories=["Cs"]), max_size=30)).map(plain)
SOME = TEXTS.filter(bool)
NAMES = st.one_of(
    st.builds(Name, family=SOME, given=TEXTS, suffix=st.sampled_from(["", "Jr."])),
    st.builds(Name, literal=SOME),
)
DATES = st.one_of(
    st.just(()),
    st.tuples(st.integers(1000, 2100)),
    st.tuples(st.integers(1000, 2100), st.integers(1, 12), st.integers(1, 28)),
)
WORKS = st.builds(
    Work,
    kind=st.sampled_from(
        ["webpage", "article-journal", "book", "report", "article", "post", "dataset"]
    ),
    title=SOME,
    authors=st.lists(NAMES, max_size=3).map(tuple),
    container=TEXTS,
    publisher=TEXTS,
    volume=TEXTS,
    pages=st.sampled_from(["", "12-19", "e7"]),
    doi=st.one_of(
        st.just(""), st.from_regex(r"10\.[0-9]{4}/[a-z0-9._-]{1,8}[a-z]", fullmatch=True)
    ),
    url=st.one_of(
        st.just(""), st.from_regex(r"https://[a-z]{1,3}\.org/[a-z0-9_%]{0,6}", fullmatch=True)
    ),
    issued=DATES,
    accessed=DATES,
    language=st.sampled_from(["", "en"]),
)
LISTS = st.lists(WORKS, min_size=1, max_size=4)
EVERY: tuple[CitationStyle, ...] = ("apa", "mla", "bibtex", "ris", "csl-json")


@given(WORKS)
@example(
    Work(kind="report", title="T", authors=tuple(Name(f"F{number}", "G") for number in range(150)))
)
def test_a_work_is_read_back_from_its_item(work: Work) -> None:
    item = to_csl(work)

    assert to_csl(parse_csl(json.loads(json.dumps(item)))) == item
    if len(work.authors) <= 100:
        assert parse_csl(item) == work


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"title": ["One", "Two"], "volume": 7}, Work("document", "One", volume="7")),
        ({"title": "T", "URL": "https://a.org/"}, Work(title="T", url="https://a.org/")),
        (
            {"title": "T", "DOI": "https://doi.org/10.1000/Abc"},
            Work("document", "T", doi="10.1000/Abc"),
        ),
        (
            {"title": "T", "issued": {"date-parts": [["2024", "3", 40]]}},
            Work("document", "T", issued=(2024, 3)),
        ),
        (
            {"title": "T", "issued": {"raw": "2024-03-02"}},
            Work("document", "T", issued=(2024, 3, 2)),
        ),
        ({"title": "T", "issued": 2024}, Work("document", "T", issued=(2024,))),
        ({"title": "T", "issued": {"date-parts": [[None]]}}, Work("document", "T")),
        (
            {"title": "T", "author": "Ann Lee and Bo Kim"},
            Work("document", "T", (Name("Lee", "Ann"), Name("Kim", "Bo"))),
        ),
        (
            {
                "title": "T",
                "author": [{"family": "Berg", "given": "J", "non-dropping-particle": "van der"}],
            },
            Work("document", "T", (Name("van der Berg", "J"),)),
        ),
        (
            {"title": "T", "author": [{"given": "Plato"}, 7, {}]},
            Work("document", "T", (Name(literal="Plato"),)),
        ),
        ({"title": {"a": 1}, "type": "Evil{}", "author": {}, "issued": []}, Work("document")),
    ],
)
def test_items_of_others_are_read_as_far_as_they_can_be_understood(
    item: dict[str, Any], expected: Work
) -> None:
    assert parse_csl(item) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["family", "date-parts", "raw"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(["title", "author", "issued", "DOI", "URL", "type", "page", "ISSN"]),
        json_values,
    )
)
def test_no_item_whatever_cannot_be_formatted(item: dict[str, Any]) -> None:
    for style in EVERY:
        assert build_bibliography([parse_csl(item)], style).text.strip() or style == "mla"


@given(st.lists(WORKS, max_size=12))
def test_no_two_entries_have_one_key(works: list[Work]) -> None:
    keys = build_keys([*works, *works, Work(title="nd"), Work(title="nda")])

    assert len({key.lower() for key in keys}) == len(keys) == 2 * len(works) + 2


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_that_works_come_in_decides_nothing(
    works: list[Work], chance: random.Random
) -> None:
    shuffled = list(works)
    chance.shuffle(shuffled)
    several = {len({work.doi for work in works if work.doi}), len(merge_records(works))}

    for style in EVERY:
        before, after = build_bibliography(works, style), build_bibliography(shuffled, style)
        assert len(before.entries) == len(after.entries)
        if several == {len(works)}:
            assert before.text == after.text


def test_one_doi_is_one_work_and_so_is_one_page() -> None:
    works = [
        Work(title="Tides", url="https://www.a.org/p?utm_source=x"),
        Work(
            title="Tides of the lagoon",
            doi="10.1000/ABC",
            issued=(2024,),
            authors=(Name("Lee", "Ann"),),
        ),
        Work(title="doi.org/10.1000/abc", url="https://doi.org/10.1000/abc"),
        Work(title="Tides", url="http://a.org/p", language="en"),
        Work(title="Tides, a data set", doi="10.1000/data", url="https://a.org/p"),
    ]

    entries = merge_records(works)

    assert [entry.places for entry in entries] == [(0, 3, 4), (1, 2)]
    assert entries[1].work.title == "Tides of the lagoon"
    assert entries[1].work.url == "https://doi.org/10.1000/abc"
    assert merge_records([works[1], works[4]])[0].places == (0,)


def test_apa_is_sorted_by_author_then_year_with_letters_where_both_are_the_same() -> None:
    lee, kim = Name("Lee", "Ann"), Name("Kim", "Bo")
    works = [
        Work(title="The zebra", url="https://a.org/1", issued=(2020,)),
        Work(title="B", authors=(lee,), url="https://a.org/2", issued=(2024, 5)),
        Work(title="A", authors=(lee,), url="https://a.org/3", issued=(2024, 3)),
        Work(title="C", authors=(lee, kim), url="https://a.org/4", issued=(2001,)),
        Work(title="D", authors=(lee,), url="https://a.org/5"),
        Work(title="E", authors=(lee,), url="https://a.org/6"),
        Work(title="F", authors=(Name("Élan", "Q"),), url="https://a.org/7", issued=(1999,)),
        Work(title="G", authors=(Name("Leeds", "A"),), url="https://a.org/8", issued=(1999,)),
    ]

    starts = [
        line.split(" https")[0] for line in build_bibliography(works, "apa").text.split("\n\n")
    ]

    assert starts == [
        "Élan, Q. (1999). F.",
        "Lee, A. (n.d.-a). D.",
        "Lee, A. (n.d.-b). E.",
        "Lee, A. (2024a, March). A.",
        "Lee, A. (2024b, May). B.",
        "Lee, A., & Kim, B. (2001). C.",
        "Leeds, A. (1999). G.",
        "The zebra. (2020).",
    ]


def test_mla_is_sorted_by_author_then_title() -> None:
    lee = Name("Lee", "Ann")
    works = [
        Work(title="The moon", authors=(lee,), url="https://a.org/1", issued=(2020,)),
        Work(title="A tide", authors=(lee,), url="https://a.org/2", issued=(1990,)),
        Work(title="An apple", url="https://a.org/3"),
    ]

    starts = [line.split("”")[0] for line in build_bibliography(works, "mla").text.split("\n\n")]

    assert starts == ["“An Apple.", "Lee, Ann. “The Moon.", "Lee, Ann. “A Tide."]
