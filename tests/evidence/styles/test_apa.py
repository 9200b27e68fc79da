"""References in APA 7."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evidence.works import CASES, work_of
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.work import Work
from webquarry.sessions.markdown import escape_markup

each_case = pytest.mark.parametrize("recorded", CASES, ids=lambda recorded: str(recorded["id"]))


@each_case
def test_reference_matches_the_recorded_one(recorded: dict[str, Any]) -> None:
    assert format_apa(work_of(recorded["csl"]), escape=str) == recorded["apa"]
    assert format_apa(work_of(recorded["csl"])) == recorded["apa"].replace("*", "")


@pytest.mark.parametrize("count", [20, 21])
def test_more_than_twenty_authors_are_shortened(
    count: int,
) -> None:
    names = tuple(Name(family=f"F{number}", given="G") for number in range(1, count + 1))
    reference = format_apa(Work(title="T", authors=names))

    assert ("F20, G." in reference) is (count == 20)
    assert (f", . . . F{count}, G." in reference) is (count == 21)


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (
            Work("post", "One two", (Name(literal="kito"),), "Reddit"),
            "kito. (n.d.). One two [Online forum post]. Reddit.",
        ),
        (
            Work("post", " ".join(map(str, range(30))), (), "Reddit"),
            " ".join(map(str, range(20))) + "… [Online forum post]. (n.d.). Reddit.",
        ),
        (
            Work("dataset", "Tides", (), "Zenodo", issued=(2024, 5)),
            "Tides [Data set]. (2024). Zenodo.",
        ),
        (Work("report", "Tides", (), "WTO", number="12"), "Tides (Report No. 12). (n.d.). WTO."),
        (
            Work("paper-conference", "Tides", (), "Proceedings of Tides", "Press", pages="1-9"),
            "Tides. (n.d.). In Proceedings of Tides (pp. 1–9). Press.",
        ),
        (Work("post-weblog", "Tides", (), "My Blog"), "Tides. (n.d.). My Blog."),
        (
            Work(
                "article-newspaper",
                "Tides",
                (Name(literal="CBS News"),),
                "CBS News",
                issued=(2019, 11),
            ),
            "CBS News. (2019, November). Tides.",
        ),
        (Work("no such kind", "Tides", (), "Site"), "Tides. (n.d.). Site."),
        (Work(), "[Web page]. (n.d.)."),
    ],
)
def test_each_kind_of_work_has_its_form(work: Work, expected: str) -> None:
    assert format_apa(work) == expected


def test_titles_cannot_forge_italics() -> None:
    assert format_apa(Work(title="A* search"), escape=escape_markup) == r"*A\* search*. (n.d.)."
    assert format_apa(Work(title="a\x02b\x03c"), escape=escape_markup) == "*a b c*. (n.d.)."
