"""The `check_citations` tool: what a caller gives, and what comes back in which shape."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from bibtexparser.entrypoint import parse_string

from tests.sessions.kits import kit_on, step
from tests.verify.references.test_checker import Indexes, entry
from webquarry.errors import BadInput
from webquarry.sessions.models import Source
from webquarry.toolkit import Toolkit
from webquarry.tools.research.check_citations import check_citations

WRONG = "@article{k1, title={Tides of 1}, author={Ann Lee}, year={2011}, journal={Nature}, doi={10.5555/1}}"


async def ask(kit: Toolkit, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = await check_citations.call(kit, arguments)
    return answer.as_dict()


def call(
    folder: Path, *references: Any, web: httpx2.AsyncBaseTransport | None = None
) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with kit_on(folder, web or Indexes()) as kit:
            return await ask(kit, {"references": list(references)})

    return asyncio.run(run())


def test_verdicts_are_distinguished(tmp_path: Path) -> None:
    answer = call(tmp_path, entry(1))
    (row,) = answer["references"]

    assert (answer["checked"], answer["summary"]) == (1, {"confirmed": 1})
    assert row["exists"] == {"state": "yes", "indexes": ["crossref"]}
    assert [(one["field"], one["agrees"]) for one in row["fields"]] == [
        ("title", "yes"), ("author", "yes"), ("year", "yes"),
    ]  # fmt: skip
    assert (row["status"], row["statusAsked"]) == ("clean", ["crossref"])
    assert answer["trust"] == "untrusted-external-content"


def test_a_field_that_differs_is_shown_with_both_values_and_a_corrected_entry(
    tmp_path: Path,
) -> None:
    (row,) = call(tmp_path, WRONG)["references"]

    assert row["verdict"] == "differs"
    (year,) = [one for one in row["fields"] if one["agrees"] == "no"]
    assert (year["field"], year["given"], year["record"], year["source"]) == (
        "year",
        "2011",
        "2021",
        "crossref",
    )
    assert row["record"]["doi"] == "10.5555/1"
    (corrected,) = parse_string(row["corrected"]).entries
    assert (corrected.key, corrected.fields_dict["year"].value) == ("k1", "2021")
    assert row["input"].startswith("@article{k1")  # what was given is never rewritten


def test_a_claim_gets_the_nearest_sentence_as_a_hint(tmp_path: Path) -> None:
    class WithAbstract(Indexes):
        def _answer(self, request: httpx2.Request) -> httpx2.Response:
            if not request.url.path.startswith("/works/"):
                return super()._answer(request)
            work = {
                "DOI": "10.5555/1", "title": ["Tides"], "type": "journal-article",
                "abstract": "<jats:p>We sailed. Mean yield was 41 percent. We came home.</jats:p>",
            }  # fmt: skip
            return httpx2.Response(200, json={"message": work})

    given = {"reference": "10.5555/1", "claim": "The mean yield was high"}
    (row,) = call(tmp_path, given, web=WithAbstract())["references"]

    hint = row["claimHint"]
    assert (hint["sentence"], hint["source"]) == ("Mean yield was 41 percent.", "abstract")
    assert "not a verdict" in hint["note"]


def test_indexes_that_did_not_answer_are_named(tmp_path: Path) -> None:
    answer = call(tmp_path, entry(1), web=Indexes(503))
    (row,) = answer["references"]

    assert row["verdict"] == "could_not_verify"
    assert row["exists"]["state"] == "unknown"
    assert set(row["exists"]["failed"]) >= {"crossref", "doi"}
    assert any("crossref did not answer" in note for note in answer["notes"])


def test_the_sources_of_a_session_can_be_checked(tmp_path: Path) -> None:
    async def run() -> dict[str, Any]:
        async with kit_on(tmp_path, Indexes()) as kit:
            session = (await step(kit, 1))["sessionId"]
            source = Source("https://doi.org/10.5555/1", "Tides of 1")
            await kit.sessions.record(await kit.sessions.read(session), "academic_search", [source])
            return await ask(kit, {"sessionId": session})

    (row,) = asyncio.run(run())["references"]
    assert row["verdict"] == "confirmed"
    assert row["record"]["doi"] == "10.5555/1"


@pytest.mark.parametrize("arguments", [{}, {"references": []}, {"references": [""]}])
def test_nothing_to_check_is_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async def run() -> None:
        async with kit_on(tmp_path, Indexes()) as kit:
            await ask(kit, arguments)

    with pytest.raises(BadInput):
        asyncio.run(run())


def test_a_title_from_an_index_cannot_pass_for_a_line_of_ours(tmp_path: Path) -> None:
    class Hostile(Indexes):
        def _answer(self, request: httpx2.Request) -> httpx2.Response:
            work = {"DOI": "10.5555/1", "title": ["Tides\nof 1\u202e"], "type": "journal-article"}
            if request.url.path.startswith("/works/"):
                return httpx2.Response(200, json={"message": work})
            return super()._answer(request)

    (row,) = call(tmp_path, "10.5555/1", web=Hostile())["references"]
    assert row["record"]["title"] == "Tides of 1"
