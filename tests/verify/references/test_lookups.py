"""Every index: what it is asked, and what its replies mean, by recorded ones."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from tests.odd_json import list_odd
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.settings import Settings

FOLDER = Path(__file__).parent / "replies"
REGISTRIES = {
    one.name: one.configure(Settings(), {})
    for one in members_of("webquarry._search.scholarly.providers", WorkIndex)
}
FILES = sorted(FOLDER.glob("*/*"))
MEDIA = {
    ".json": "application/json",
    ".xml": "application/atom+xml",
    ".html": "text/html",
    ".txt": "text/plain",
}
ANY_VALUE = {
    "doi": "10.5555/tide.1",
    "arxiv": "2401.01234",
    "pmid": "31452104",
    "isbn": "9780000000002",
    "rfc": "9110",
    "updates": "10.5555/bio.2018.114",
}


def reply_of(path: Path) -> Reply:
    status = int(path.stem.split("_")[1] if path.stem[0] != "r" else path.stem.split("_")[2])
    headers = httpx2.Headers({"content-type": MEDIA[path.suffix]})
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    return Reply("https://index.example/", status, headers, path.read_bytes(), moment)


def question_for(path: Path) -> WorkQuestion:
    registry = REGISTRIES[path.parent.name]
    said = [topic for topic in registry.topics if topic in path.stem.split("_")]
    topic = said[0] if said else sorted(registry.topics)[0]
    return WorkQuestion(topic, ANY_VALUE.get(topic, "test"))  # type: ignore[arg-type]


def parse(name: str) -> list[Record]:
    path = FOLDER / name
    return REGISTRIES[path.parent.name].parse_lookup([question_for(path)], reply_of(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_recorded_reply_means_what_its_name_says(path: Path) -> None:
    registry, outcome = REGISTRIES[path.parent.name], path.stem.split("_")[0]
    if outcome in ("ok", "empty"):
        records = registry.parse_lookup([question_for(path)], reply_of(path))
        assert bool(records) == (outcome == "ok")
        return
    with pytest.raises(WebquarryError) as caught:
        registry.parse_lookup([question_for(path)], reply_of(path))
    assert caught.value.kind == "rate_limited"


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("openalex/rate_limited_429.json", "OPENALEX_API_KEY"),
        ("openalex/rate_limited_503_anon_title.json", "OPENALEX_API_KEY"),
        ("semanticscholar/rate_limited_429.json", "SEMANTIC_SCHOLAR_API_KEY"),
    ],
)
def test_a_limit_that_a_key_would_raise_names_the_key(file: str, key: str) -> None:
    with pytest.raises(WebquarryError) as caught:
        parse(file)

    assert key in caught.value.suggested_action


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.suffix == ".json"],
    ids=lambda path: str(path.parent.name),
)
def test_a_reply_with_any_part_replaced_is_records_or_an_error(path: Path) -> None:
    registry = REGISTRIES[path.parent.name]
    questions = [question_for(path)]
    whole = reply_of(path)
    for odd in list_odd(json.loads(path.read_bytes())):
        reply = replace(whole, body=json.dumps(odd).encode())
        try:
            registry.next_lookup(questions, reply)
            records = registry.parse_lookup(questions, reply)
        except WebquarryError:
            continue
        assert all(isinstance(record, Record) for record in records)


@pytest.mark.parametrize("name", sorted(REGISTRIES))
def test_an_index_that_answers_with_a_page_has_not_said_that_there_is_nothing(name: str) -> None:
    registry = REGISTRIES[name]
    page = b"<!doctype html><title>Just a moment...</title>"
    for status in (200, 503):
        headers = httpx2.Headers({"content-type": "text/html"})
        reply = Reply("https://x.example/", status, headers, page, datetime(2026, 3, 1, tzinfo=UTC))
        for topic in registry.topics:
            question = WorkQuestion(topic, ANY_VALUE.get(topic, "test"))  # type: ignore[arg-type]
            with pytest.raises(WebquarryError):
                registry.parse_lookup([question], reply)


@pytest.mark.parametrize("name", sorted(REGISTRIES))
def test_an_index_is_asked_at_the_address_that_the_user_put_in_its_place(name: str) -> None:
    settings = Settings(origins={name: "http://127.0.0.1:9/here"})
    registry = type(REGISTRIES[name]).configure(settings, {})
    for topic in registry.topics:
        question = WorkQuestion(topic, ANY_VALUE.get(topic, "test"))  # type: ignore[arg-type]
        url = str(registry.build_lookup([question]).url)
        assert url.startswith("http://127.0.0.1:9/here/")


def test_several_numbers_go_into_one_request() -> None:
    crossref = REGISTRIES["crossref"]
    questions = [WorkQuestion("doi", "10.1/a"), WorkQuestion("doi", "10.1/b")]
    url = crossref.build_lookup(questions).url

    assert url.params["filter"] == "doi:10.1/a,doi:10.1/b"


def test_numbers_of_namesakes_are_no_part_of_a_name() -> None:
    first, second = parse("dblp/ok_200_title.json")

    assert [author.written for author in first.authors] == ["Wei Wang", "Ann Lee"]
    assert (second.is_preprint, second.arxiv_id, second.doi) == (True, "2201.01234", "")


def test_a_note_that_was_only_submitted_was_not_accepted() -> None:
    accepted, submitted = parse("openreview/ok_200_title.json")

    assert accepted.venues == ("ICLR 2023 poster",)
    assert submitted.is_preprint
    assert submitted.venues == ("OpenReview",)


def test_a_notice_names_the_works_that_it_is_about() -> None:
    (record,) = parse("crossref/ok_200_updates.json")

    assert record.updates
    assert {notice.type for notice in record.notices} == {"retraction"}


def test_a_none_of_the_archive_is_confirmed_by_the_list_of_captures() -> None:
    wayback = REGISTRIES["wayback"]
    headers = httpx2.Headers({"content-type": "application/json"})
    body = b'{"url": "x.example", "archived_snapshots": {}}'
    reply = Reply("https://archive.org/", 200, headers, body, datetime(2026, 3, 1, tzinfo=UTC))
    following = wayback.next_lookup([WorkQuestion("archive", "https://x.example/a")], reply)

    assert following is not None
    assert following.url.path == "/cdx/search/cdx"
