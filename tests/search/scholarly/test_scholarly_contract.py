"""The contract of every scholarly index, with every recorded reply: papers are clean, "nothing" is
an answer, errors have a kind.

An index joins by its file in the folder and a folder of replies; a reply joins by its name.
"""

from __future__ import annotations

import json

import httpx2
import pytest

from tests.search.replies import outcome_of
from tests.search.scholarly.replies import FOLDER, NAMES, body_of, reply
from tests.search.wrong_shapes import put_wrong_hits
from webquarry._search.domains import host_of
from webquarry._search.scholarly.models import Paper, PaperQuery
from webquarry._search.scholarly.provider import Scholarly
from webquarry.errors import WebquarryError
from webquarry.registry import members_of
from webquarry.settings import Settings

KINDS: list[type[Scholarly]] = members_of("webquarry._search.scholarly.providers", Scholarly)
BY_NAME = {kind.name: kind for kind in KINDS}
SIX = {"arxiv", "crossref", "europepmc", "openalex", "pubmed", "semanticscholar"}
KEYS = {
    wanted.variable: f"canary-{kind.name}-1234" for kind in KINDS for wanted in kind.credentials
}
NOWHERE = {"HOME": "/nonexistent"}
ERRORS = [name for name in NAMES if outcome_of(name) not in ("ok", "empty", "step")]
each_index = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
each_answer = pytest.mark.parametrize("name", [name for name in NAMES if outcome_of(name) == "ok"])


def configured(
    kind: type[Scholarly], environ: dict[str, str] | None = None, contact: str | None = None
) -> Scholarly:
    return kind.configure(Settings(contact=contact), NOWHERE | (environ or {}))


def papers_in(
    name: str, body: bytes | None = None, environ: dict[str, str] | None = None
) -> list[Paper]:
    provider = configured(BY_NAME[name.partition("/")[0]], KEYS if environ is None else environ)
    return provider.parse_reply(reply(name, body))


def test_all_are_there_each_with_an_answer_nothing_and_errors() -> None:
    assert set(BY_NAME) >= SIX
    assert {name.partition("/")[0] for name in NAMES} == set(BY_NAME)
    for name in BY_NAME:
        outcomes = {outcome_of(path.name) for path in (FOLDER / name).iterdir()}
        assert {"ok", "empty"} < outcomes - {"step"}


@pytest.mark.parametrize("name", ERRORS)
def test_every_recorded_error_is_of_the_right_kind_and_says_what_to_do(name: str) -> None:
    with pytest.raises(WebquarryError) as caught:
        papers_in(name)

    assert caught.value.kind == outcome_of(name)
    assert caught.value.message.strip()
    assert caught.value.suggested_action.strip()
    assert "canary" not in caught.value.message + caught.value.suggested_action


@pytest.mark.parametrize("name", [name for name in NAMES if outcome_of(name) == "empty"])
def test_nothing_found_is_an_answer(name: str) -> None:
    assert papers_in(name) == []


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.endswith(("/ok_200.json", "/step_200_esearch.json"))]
)
def test_something_else_in_the_place_of_the_hits_is_never_no_papers(name: str) -> None:
    """The step of an index that is asked twice must not say so either."""

    def count(answer: object) -> int:
        body = json.dumps(answer).encode()
        if name.startswith("pubmed/"):
            return int(configured(BY_NAME["pubmed"]).next_request(reply(name, body)) is not None)
        return len(papers_in(name, body))

    for wrong, answer in put_wrong_hits(json.loads(body_of(name)), count):
        with pytest.raises(WebquarryError) as caught:
            count(answer)
        assert caught.value.kind == "network", wrong


@each_answer
def test_every_recorded_answer_becomes_papers_with_absolute_urls(name: str) -> None:
    papers = papers_in(name)

    assert papers
    for paper in papers:
        assert host_of(paper.url)
        assert paper.url.startswith("https://")
        assert not paper.pdf_url or host_of(paper.pdf_url)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ERRORS])
@pytest.mark.parametrize("kept", [0.0, 0.5, 0.98])
def test_half_an_answer_is_never_an_answer(name: str, kept: float) -> None:
    body = body_of(name).rstrip()

    with pytest.raises(WebquarryError):
        papers_in(name, body[: int(len(body) * kept)])


@each_index
def test_html_page_is_an_error_and_a_captcha_is_a_challenge(kind: type[Scholarly]) -> None:
    for page, wanted in (
        (b"<!doctype html><p>Oops", "network"),
        (b"<!doctype html><p>Solve the captcha", "challenge"),
    ):
        with pytest.raises(WebquarryError) as caught:
            configured(kind).parse_reply(reply(f"{kind.name}/network_200.html", page))
        assert caught.value.kind == wanted


@each_index
def test_filters_go_out_in_the_request(kind: type[Scholarly]) -> None:
    query = PaperQuery(
        "tidal energy",
        year_from=2019,
        year_to=2021,
        newest_first=True,
        open_access=True,
        with_pdf=True,
    )
    asked, plain_one = (
        configured(kind).build_request(query),
        configured(kind).build_request(PaperQuery("tidal energy")),
    )
    said = str(httpx2.QueryParams(asked.url.query.decode()))

    assert "2019" in said
    assert "2021" in said
    assert asked.url != plain_one.url


@each_index
def test_key_is_optional_and_never_visible(
    kind: type[Scholarly],
) -> None:
    assert configured(kind).configured
    request = configured(kind, KEYS).build_request(PaperQuery("x"))
    for value in (KEYS[wanted.variable] for wanted in kind.credentials):
        named = [request.headers.get(name) for name in ("authorization", "x-api-key")]
        sent = f"{request.url} {named}"
        assert value in sent
        assert value not in str(request.url) or "api_key=" in str(
            request.url
        )  # the parameter that is masked everywhere


@each_index
def test_the_contact_address_goes_only_to_those_that_use_it(kind: type[Scholarly]) -> None:
    request = configured(kind, contact="me@example.org").build_request(PaperQuery("x"))
    sent = f"{request.url} {request.headers}".replace("%40", "@")

    assert ("me@example.org" in sent) is (kind.name in {"arxiv", "crossref", "europepmc", "pubmed"})


@pytest.mark.parametrize(
    "text",
    ['"', "() AND [", "a:b^2~", "!x | y", "C++ & C#", "naïve 潮流", "a" * 500, "-", "of the"],
)
@each_index
def test_any_text_becomes_a_request_or_bad_input(kind: type[Scholarly], text: str) -> None:
    outcome = "sent"
    try:
        configured(kind).build_request(PaperQuery(text))
    except WebquarryError as error:
        outcome = error.kind

    assert outcome in ("sent", "bad_input")
