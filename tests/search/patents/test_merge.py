"""What several services know of one publication becomes one patent, whatever the order."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.search.patents.recorded import number
from webquarry._search.patents.provider import Patent, merge

A, B = number("US10999999B2"), number("EP3456789A1")
DATES = st.sampled_from([None, "2019", "2019-03", "2019-03-20", "2020-01-01"])
NAMES = st.lists(
    st.sampled_from(["TIDEWORKS LTD", "Tideworks Limited", "Oldmill"]), max_size=3
).map(tuple)
PATENTS = st.builds(
    Patent,
    number=st.sampled_from([A, B, number("WO2020123456A1"), number("US10999999B1")]),
    title=st.sampled_from(
        ["US10999999B2", "TIDAL TURBINE", "Tidal turbine", "Tidal turbine with blades"]
    ),
    url=st.sampled_from([A.url, "https://a.example/"]),
    abstract=st.sampled_from(["", "Short.", "A longer one."]),
    assignees=NAMES,
    inventors=NAMES,
    filed=DATES,
    published=DATES,
    granted=DATES,
    status=st.sampled_from([None, "granted", "active", "expired"]),
    pdf=st.sampled_from([None, "https://a.example/1.pdf", "https://a.example/2.pdf"]),
    cpc=st.lists(st.sampled_from(["F03B13/264", "H04W4/02"]), max_size=2).map(tuple),
    provider=st.sampled_from(["epo", "lens", "other"]),
)
LISTS = st.lists(st.lists(PATENTS, max_size=4, unique_by=lambda patent: patent.number), max_size=4)


@given(LISTS, st.randoms(use_true_random=False))
def test_merging_does_not_depend_on_the_order_of_the_lists(
    lists: list[list[Patent]], random: Random
) -> None:
    shuffled = list(lists)
    random.shuffle(shuffled)

    assert merge(shuffled) == merge(lists)


def test_richest_value_of_each_field_wins() -> None:
    epo = Patent(
        A,
        "TIDAL TURBINE",
        A.url,
        "Abstract.",
        ("TIDEWORKS LTD",),
        (),
        "2018-09-06",
        status="granted",
        provider="epo",
    )
    lens = Patent(
        A,
        "Tidal turbine",
        A.url,
        "",
        ("Tideworks Ltd",),
        ("P. L.",),
        None,
        status="active",
        provider="lens",
    )

    (patent,) = merge([[epo], [lens]])

    assert patent == replace(
        epo,
        title="Tidal turbine",
        assignees=("Tideworks Ltd",),
        inventors=("P. L.",),
        status="active",
        provider="epo+lens",
    )


def test_the_best_rank_counts_and_other_kinds_are_other_publications() -> None:
    one, two = Patent(A, "1", A.url), Patent(B, "2", B.url)
    other = Patent(number("US10999999B1"), "3", A.url)

    assert [patent.number.google for patent in merge([[two, one], [one, other]])] == [
        "EP3456789A1",
        "US10999999B2",
        "US10999999B1",
    ]
