"""Many references at once: few requests, no haste, nothing lost when the time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb, Silent, redirect, text
from tests.sessions.kits import kit_on
from webquarry.toolkit import Toolkit
from webquarry.verify.references.checker import Checked
from webquarry.verify.references.read import read_references

WORK = {
    "DOI": "10.5555/1", "type": "journal-article", "title": ["Tides of 1"], "URL": "https://doi.org/10.5555/1",
    "author": [{"given": "Ann", "family": "Lee"}], "issued": {"date-parts": [[2021]]},
    "container-title": ["Nature"],
}  # fmt: skip


class Indexes(FakeWeb):
    """Crossref has every DOI whose suffix is a number; arXiv and all others have nothing."""

    def __init__(self, status: int = 200, pages: dict[str, Any] | None = None) -> None:
        super().__init__(pages or {})
        self._status = status

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        await asyncio.sleep(0)
        if str(request.url) in self._pages:
            return await super().handle_async_request(request)
        if self._status != 200:
            return httpx2.Response(self._status, text="<html>")
        return self._answer(request)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        host, path, asked = request.url.host, request.url.path, request.url.params
        if host == "api.crossref.org" and path.startswith("/works/"):
            return httpx2.Response(200, json={"message": _work(path.removeprefix("/works/"))})
        if host == "api.crossref.org":
            filters = asked.get("filter", "")
            dois = [
                one.removeprefix("doi:") for one in filters.split(",") if one.startswith("doi:")
            ]
            return httpx2.Response(200, json={"message": {"items": [_work(doi) for doi in dois]}})
        empty: dict[str, Any] = {
            "api.openalex.org": {"results": []},
            "dblp.org": {"result": {"hits": {"@total": "0"}}},
            "archive.org": {"archived_snapshots": {}},
        }
        if host in empty:
            return httpx2.Response(200, json=empty[host])
        if host == "api.semanticscholar.org":
            return httpx2.Response(404, json={"error": "Title match not found"})
        if host == "web.archive.org":
            return httpx2.Response(200, json=[])
        total = '<totalResults xmlns="http://a9.com/-/spec/opensearch/1.1/">0</totalResults>'
        feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{total}</feed>'
        return httpx2.Response(200, text=feed, headers={"content-type": "application/atom+xml"})


def _work(doi: str) -> dict[str, Any]:
    number = doi.rpartition("/")[2]
    return {**WORK, "DOI": doi, "title": [f"Tides of {number}"]}


def on_kit(
    folder: Path, web: httpx2.AsyncBaseTransport, work: Callable[[Toolkit], Awaitable[Any]]
) -> Any:
    async def run() -> Any:
        async with kit_on(folder, web) as kit:
            return await work(kit)

    return asyncio.run(run())


def check(
    folder: Path, web: httpx2.AsyncBaseTransport, *given: str, seconds: float = 600
) -> list[Checked]:
    async def work(kit: Toolkit) -> list[Checked]:
        references = [one for item in given for one in read_references(item)]
        return await kit.citations.check(references, kit.clock.monotonic() + seconds)

    found: list[Checked] = on_kit(folder, web, work)
    return found


def verdicts(checked: list[Checked]) -> list[str]:
    return [one.judgement.verdict for one in checked]


def entry(number: int) -> str:
    return f"@article{{k{number}, title={{Tides of {number}}}, author={{Ann Lee}}, year={{2021}}, doi={{10.5555/{number}}}}}"


def test_fifty_dois_take_a_few_requests_and_stay_in_their_order(tmp_path: Path) -> None:
    web = Indexes()
    checked = check(tmp_path, web, *[entry(number) for number in range(50)])

    assert verdicts(checked) == ["confirmed"] * 50
    assert [one.reference.key for one in checked] == [f"k{number}" for number in range(50)]
    assert len(web.requests) <= 10


def test_requests_are_not_joined_while_recording(tmp_path: Path) -> None:
    web = Indexes()

    async def run() -> list[Checked]:
        environ = {"WEBQUARRY_RECORD": str(tmp_path / "web.warc.gz")}
        async with kit_on(tmp_path, web, environ=environ) as kit:
            given = [one for number in range(5) for one in read_references(entry(number))]
            return await kit.citations.check(given, kit.clock.monotonic() + 600)

    assert verdicts(asyncio.run(run())) == ["confirmed"] * 5
    assert len(set(web.asked())) == len(web.asked()) == 10


@pytest.mark.parametrize("status", [503, 429, 500])
def test_indexes_that_are_down_can_confirm_nothing_and_deny_nothing(
    tmp_path: Path, status: int
) -> None:
    given = [
        entry(1),
        "@article{k, title={Nobody knows}, author={Ann Lee}}",
        "arXiv:2101.01234",
        "PMID: 1",
    ]
    checked = check(tmp_path, Indexes(status), *given)

    assert verdicts(checked) == ["could_not_verify"] * 4
    assert all(one.judgement.failed for one in checked)


def test_an_index_that_keeps_failing_is_not_asked_for_every_reference(tmp_path: Path) -> None:
    web = Indexes(503)
    check(tmp_path, web, *[f"@article{{k, title={{Nobody knows tide {n}}}}}" for n in range(40)])

    assert len(web.requests) < 40


def test_replies_are_cached(tmp_path: Path) -> None:
    web = Indexes()

    async def work(kit: Toolkit) -> None:
        for _ in range(2):
            await kit.citations.check(read_references(entry(1)), kit.clock.monotonic() + 60)

    on_kit(tmp_path, web, work)
    assert len(web.requests) == 2  # the record, and the notices about it


def test_results_before_the_deadline_are_returned(tmp_path: Path) -> None:
    class HalfSilent(Indexes):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if request.url.host != "api.crossref.org":
                self.requests.append(request)
                await asyncio.Event().wait()
            return await super().handle_async_request(request)

    async def work(kit: Toolkit) -> list[Checked]:
        given = [*read_references(entry(1)), *read_references("@article{k, title={Nobody knows}}")]
        return await kit.citations.check(given, kit.clock.monotonic() + 0.2)

    done, late = on_kit(tmp_path, HalfSilent(), work)
    assert (done.judgement.verdict, done.is_finished) == ("confirmed", True)
    assert (late.judgement.verdict, late.is_finished) == ("could_not_verify", False)


def test_only_the_indexes_that_were_chosen_are_asked(tmp_path: Path) -> None:
    web = Indexes()

    async def run() -> None:
        environ = {"WEBQUARRY_REFERENCE_INDEXES": "dblp"}
        async with kit_on(tmp_path, web, environ=environ) as kit:
            given = read_references("@article{k, title={Nobody knows}}")
            await kit.citations.check(given, kit.clock.monotonic() + 60)

    asyncio.run(run())
    assert {request.url.host for request in web.requests} == {"dblp.org"}


PAGE = "https://site.example/report"
REPORT = f"@online{{k, title={{The tide report}}, url={{{PAGE}}}, year={{2021}}}}"
BODY = "<title>The tide report</title><h1>The tide report</h1><p>" + "The tide rose again. " * 40


@pytest.mark.parametrize(
    ("answer", "state", "verdict"),
    [
        (text(BODY), "alive", "confirmed"),
        (text("", 403), "blocked", "could_not_verify"),
        (text("", 404), "gone", "could_not_verify"),
        (text("", 410), "gone", "could_not_verify"),
        (text("", 500), "unreachable", "could_not_verify"),
        (
            text("<title>Page not found</title><h1>Page not found</h1><p>Sorry."),
            "soft-404",
            "could_not_verify",
        ),
        (text(BODY.replace("The tide report", "Cheap shoes")), "wrong-page", "could_not_verify"),
        (httpx2.ConnectError("no"), "unreachable", "could_not_verify"),
    ],
)
def test_states_of_a_url_are_distinguished(
    tmp_path: Path, answer: Any, state: str, verdict: str
) -> None:
    (checked,) = check(tmp_path, Indexes(pages={PAGE: answer}), REPORT)

    assert checked.link is not None
    assert (checked.link.state, checked.judgement.verdict) == (state, verdict)


@pytest.mark.parametrize(("status", "state"), [(301, "moved"), (308, "moved"), (302, "alive")])
def test_an_address_has_moved_only_by_a_lasting_redirect(
    tmp_path: Path, status: int, state: str
) -> None:
    new = "https://site.example/new/report"
    pages = {PAGE: redirect(new, status), new: text(BODY)}
    (checked,) = check(tmp_path, Indexes(pages=pages), REPORT)

    assert checked.link is not None
    assert checked.link.state == state
    assert checked.link.moved_to == (new if state == "moved" else "")


def test_a_redirect_to_the_front_page_is_a_page_that_is_gone(tmp_path: Path) -> None:
    pages = {PAGE: redirect("https://site.example/", 302), "https://site.example/": text(BODY)}
    (checked,) = check(tmp_path, Indexes(pages=pages), REPORT)

    assert checked.link is not None
    assert checked.link.state == "soft-404"


def test_a_dead_address_gets_the_copy_of_an_archive_with_its_date(tmp_path: Path) -> None:
    class Archive(Indexes):
        def _answer(self, request: httpx2.Request) -> httpx2.Response:
            if request.url.host != "archive.org":
                return super()._answer(request)
            assert request.url.params["timestamp"] == "2021"
            copy = {
                "available": True,
                "status": "200",
                "timestamp": "20210304050607",
                "url": f"http://web.archive.org/web/20210304050607/{PAGE}",
            }
            return httpx2.Response(200, json={"archived_snapshots": {"closest": copy}})

    (checked,) = check(tmp_path, Archive(pages={PAGE: text("", 404)}), REPORT)
    assert checked.link is not None
    assert checked.link.archived_on == "2021-03-04"
    assert checked.link.archive.startswith("https://web.archive.org/web/2021")


def test_cancelled_check_leaves_no_task(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> int:
        given = [one for n in range(5) for one in read_references(entry(n))]
        before = len(asyncio.all_tasks())
        call = asyncio.create_task(kit.citations.check(given, kit.clock.monotonic() + 600))
        for _ in range(10):
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return len(asyncio.all_tasks()) - before

    assert on_kit(tmp_path, Silent({}), work) == 0
