"""A draft with one fault of each kind: verdicts, headline and what fails the check."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.sessions.kits import kit_on
from tests.tools.pages import sent
from tests.verify.references.test_checker import Indexes, entry
from webquarry.draft_check import CheckReport, check_drafts, parse_fail_on, read_draft
from webquarry.errors import BadInput

PAGE = "https://harbor.example/report"
WALLED = "https://harbor.example/closed"
TEXT = (
    "<p>The port was built in a single winter by two crews. The new turbines produce 15 "
    "megawatt-hours on a good day. The council approved the plan on 15 September.</p>"
)
REPORT = f"""\
“The port was built in a single winter” ([report]({PAGE})).

“The port was built in a single summer” ([report]({PAGE})).

“Every sailor of the coast was against the plan” ([report]({PAGE})).

The turbines produce 15 MWh on a good day ([report]({PAGE})).

The turbines produce 19 MWh on a good day ([report]({PAGE})).

“The gates were closed to all visitors” ([closed]({WALLED})).
"""
DIFFERING = "@article{d, title={Tides of 2}, author={Ann Lee}, year={2011}, doi={10.5555/2}}"
INVENTED = "@article{i, title={Tides of Nothing}, author={Ann Lee}, year={2021}, doi={10.5555/404}}"
BIBLIOGRAPHY = "\n\n".join([entry(1), DIFFERING, INVENTED, entry(9)])


class Web(Indexes):
    """The indexes, with a retracted work 10.5555/9 and without 10.5555/404."""

    def __init__(self) -> None:
        body = f"<html><head><title>Report</title></head><body>{TEXT * 5}</body></html>"
        super().__init__(pages={PAGE: sent(body), WALLED: sent("no", status=403)})

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/10.5555/404"):
            return httpx2.Response(404, json={"responseCode": 100})
        response = super()._answer(request)
        if request.url.host != "api.crossref.org":
            return response
        message = response.json()["message"]
        works = [one for one in message.get("items", [message]) if one["DOI"] != "10.5555/404"]
        for work in works:
            if work["DOI"] == "10.5555/9":
                moment = {"date-parts": [[2022, 1, 3]]}
                notice = {"type": "retraction", "DOI": "10.5555/99", "updated": moment}
                work["updated-by"] = [{**notice, "source": "publisher"}]
        answer = {"items": works} if "items" in message else works[0]
        return httpx2.Response(200, json={"message": answer})


def check(folder: Path, drafts: dict[str, str], **options: Any) -> CheckReport:
    async def run() -> CheckReport:
        async with kit_on(folder, Web()) as kit:
            claims = {}
            for name, text in drafts.items():
                path = folder / name
                path.write_text(text, "utf-8")
                claims[name] = read_draft(path)
            return await check_drafts(kit, claims, **options)

    return asyncio.run(run())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> CheckReport:
    drafts = {"report.md": REPORT, "works.bib": BIBLIOGRAPHY}
    return check(tmp_path_factory.mktemp("drafts"), drafts)


def test_each_fault_has_its_verdict_and_failures_come_first(report: CheckReport) -> None:
    assert [(row.kind, row.verdicts[0]) for row in report.rows] == [
        ("quote", "near"),
        ("quote", "absent"),
        ("number", "different"),
        ("reference", "differs"),
        ("reference", "not_registered"),
        ("reference", "retracted"),
        ("quote", "unchecked"),
        ("quote", "exact"),
        ("number", "found"),
        ("reference", "confirmed"),
    ]
    assert report.has_failed


def test_headline_counts_the_problems_by_kind(report: CheckReport) -> None:
    assert report.headline() == (
        "7 problems: 1 quote altered, 1 quote invented, 1 number different, 1 reference differing, "
        "1 reference invented, 1 reference retracted, 1 quote unverified."
    )
    answer = report.as_answer().as_dict()
    assert answer["headline"] == report.headline()
    assert answer["summary"]["retracted"] == 1


@pytest.mark.parametrize(
    ("text", "fails_on"),
    [
        (f"“The port was built in a single summer” ({PAGE}).", "near"),
        (f"“Every sailor of the coast was against the plan” ({PAGE}).", "absent"),
        (f"The turbines produce 19 MWh on a good day ({PAGE}).", "number"),
        (f"The port was built in one winter ({WALLED}).", None),
        (f"“The port was built in a single winter” ({PAGE}).", None),
    ],
)
def test_each_fault_of_a_text_fails_the_check_alone(
    tmp_path: Path, text: str, fails_on: str | None
) -> None:
    assert check(tmp_path, {"a.md": text}).has_failed is (fails_on is not None)
    if fails_on:
        others = ",".join({"near", "absent", "number", "conflict"} - {fails_on})
        assert not check(tmp_path, {"a.md": text}, fail_on=others).has_failed


@pytest.mark.parametrize(
    ("reference", "fails_on"),
    [(DIFFERING, "differs"), (INVENTED, "conflict"), (entry(9), "retracted"), (entry(1), None)],
)
def test_each_fault_of_a_reference_fails_the_check_alone(
    tmp_path: Path, reference: str, fails_on: str | None
) -> None:
    assert check(tmp_path, {"a.bib": reference}).has_failed is (fails_on is not None)
    if fails_on:
        others = ",".join({"differs", "conflict", "retracted"} - {fails_on})
        assert not check(tmp_path, {"a.bib": reference}, fail_on=others).has_failed


def test_all_adds_what_could_not_be_verified(tmp_path: Path) -> None:
    text = f"The port was built in a single winter ({WALLED}), as “the gates were closed” says."

    report = check(tmp_path, {"a.md": text}, sources=[WALLED], fail_on="all")

    assert report.has_failed
    assert "source not read" in report.headline() or "unverified" in report.headline()


def test_an_unknown_verdict_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="nearly") as caught:
        parse_fail_on("near,nearly")

    assert "absent" in caught.value.suggested_action
