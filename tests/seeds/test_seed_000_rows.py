"""Seed 000: the rows in which hard use found a difference. Each test is named after its row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.executables import BRAVE, GOOGLE, Answer, Asked, Done, InProcess, Site, as_json
from tests.no_home import needs_root, run_without_home
from tests.search.replies import recorded, status_of
from tests.seeds.seed_000 import INVALID, QUERY, REPLIES, each_search, search, seed_json
from webquarry.clock import Clock

MANY = [f"number-{number}.example.com" for number in range(120)]
each_name = pytest.mark.parametrize(
    "name", ["www.another.com", "www.another.com/", "other.org/docs"]
)
PAGES = {
    "www.another.com": "https://www.another.com/a",
    "www.another.com/": "https://www.another.com/a",
    "other.org/docs": "https://other.org/docs/a",
}
WIDER = [
    "https://another.com/b",
    "https://docs.another.com/c",
    "https://other.org/",
    "https://other.org/docs-old",
    "https://other.org/blog/docs",
]


def hits(script: str, urls: list[str]) -> Any:
    """A provider's reply with these results."""
    if script == BRAVE:
        found = [{"title": url, "url": url, "description": "Text"} for url in urls]
        return {"query": {}, "web": {"results": found}}
    items = [{"title": url, "link": url, "snippet": "Text"} for url in urls]
    return {"queries": {"request": [{}]}, "items": items}


def sites_asked(asked: Asked) -> list[str]:
    """The domains that a request asks a provider for."""
    fields = parse_qs(urlsplit(asked.target).query)
    named = re.findall(r"(?<!-)site:(\S+)", fields["q"][0])
    if fields.get("siteSearchFilter") == ["i"]:
        named += fields["siteSearch"]
    return named


def answer_sites(script: str, found: Callable[[str], list[str]]) -> Callable[[Asked], Answer]:
    """A provider that has these pages of each domain that it is asked for."""

    def answer(asked: Asked) -> Answer:
        urls = [url for site in sites_asked(asked) for url in found(site)]
        return as_json(hits(script, urls))

    return answer


def urls_of(done: Done) -> list[str]:
    return [result["url"] for result in done.answer["results"]]


@each_search
def test_allowed_domains_restricts_and_the_last_of_120_is_asked_for(
    run: InProcess, script: str
) -> None:
    def found(site: str) -> list[str]:
        return [f"https://{site}/page"] if site == MANY[-1] else []

    with Site(answer_sites(script, found)) as site:
        done = run(script, {**QUERY, "allowed_domains": MANY}, site.environ)

    asked = [name for request in site.asked for name in sites_asked(request)]
    assert asked == MANY
    assert done.answer == {
        "results": [dict(done.answer["results"][0], url=f"https://{MANY[-1]}/page")]
    }
    assert len(site.asked) <= 10


@each_search
def test_allowed_domains_restricts_and_names_domains_that_were_not_requested(
    run: InProcess, script: str
) -> None:
    long_names = [f"{'x' * 60}.{'y' * 60}.number-{number}.example.com" for number in range(300)]
    with Site(answer_sites(script, lambda site: [])) as site:
        done = run(script, {**QUERY, "allowed_domains": long_names}, site.environ)

    asked = [name for request in site.asked for name in sites_asked(request)]
    assert asked == long_names[: len(asked)]
    assert done.answer["results"] == []
    [note] = done.answer["notes"]
    assert f"{len(asked)} of 300 were asked for" in note
    assert long_names[len(asked)] in note
    assert f"and {300 - len(asked) - 5} more" in note


@each_search
def test_allowed_domains_restricts_and_enough_results_end_the_asking(
    run: InProcess, script: str
) -> None:
    pages = answer_sites(script, lambda site: [f"https://{site}/page"])
    with Site(pages) as site:
        done = run(script, {**QUERY, "allowed_domains": MANY}, site.environ)

    assert len(site.asked) == 1
    assert len(done.answer["results"]) == 10
    assert "which gave enough results" in done.answer["notes"][0]


@each_search
@each_name
def test_allowed_domains_restricts_to_the_given_entries(
    run: InProcess, script: str, name: str
) -> None:
    page = PAGES[name]
    done, site = search(
        run, script, {**QUERY, "allowed_domains": [name]}, hits(script, [*WIDER, page])
    )

    assert urls_of(done) == [page]
    assert "notes" not in done.answer
    assert sites_asked(site.asked[0])[0].startswith(name.partition("/")[0])


@each_search
@each_name
def test_blocked_domains_blocks_only_the_given_entries(
    run: InProcess, script: str, name: str
) -> None:
    page = PAGES[name]
    done, site = search(
        run, script, {**QUERY, "blocked_domains": [name]}, hits(script, [*WIDER, page])
    )

    assert urls_of(done) == WIDER
    assert "-site:another.com" not in site.asked[0].target
    assert not re.search(r"-site(%3A|:)other\.org(?!(%2F|/)docs)", site.asked[0].target)


@each_search
@pytest.mark.parametrize("field", ["allowed_domains", "blocked_domains"])
@pytest.mark.parametrize("entry", ["other.org/docs?page=2", "other.org/a b", "other.org/*/docs"])
def test_allowed_and_blocked_domains_refuse_entries_that_cannot_be_applied(
    run: InProcess, script: str, field: str, entry: str
) -> None:
    done, site = search(run, script, {**QUERY, field: ["a.org", entry]}, hits(script, []))

    assert f"{entry!r} cannot be kept to" in done.error
    assert site.asked == []


@each_search
def test_allowed_domains_that_are_all_blocked_are_not_requested_and_are_named(
    run: InProcess, script: str
) -> None:
    given = {**QUERY, "allowed_domains": ["a.org/docs"], "blocked_domains": ["a.org"]}
    done, site = search(run, script, given, hits(script, []))

    assert site.asked == []
    assert done.answer["notes"] == ["Nobody was asked: every allowed domain is blocked as well."]


SHAPE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?")


@each_search
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2026-01-16T12:00:00Z", "2026-01-16T12:00:00Z"),
        ("2026-01-16T12:00:00.123+00:00", "2026-01-16T12:00:00Z"),
        ("2026-01-16T12:00:00+02:00", "2026-01-16T10:00:00Z"),
        ("2026-01-16T12:00:00", "2026-01-16T12:00:00"),
        ("2026-01-16 12:00", "2026-01-16T12:00:00"),
        ("2026-01-16", "2026-01-16T00:00:00"),
    ],
)
def test_published_date_is_an_iso_8601_timestamp_in_one_shape_with_a_zone_where_it_is_known(
    run: InProcess, script: str, given: str, shown: str
) -> None:
    reply = hits(script, ["https://a.org/"])
    if script == BRAVE:
        reply["web"]["results"][0]["page_age"] = given
    else:
        reply["items"][0]["pagemap"] = {"metatags": [{"date": given}]}
    done, _ = search(run, script, QUERY, reply)

    assert done.answer["results"][0]["published_date"] == shown
    assert SHAPE.fullmatch(shown)


def test_published_date_is_an_iso_8601_timestamp_from_the_age_that_brave_shows(
    run: InProcess,
) -> None:
    reply = hits(BRAVE, ["https://a.org/", "https://b.org/"])
    reply["web"]["results"][0]["age"] = "February 12, 2025"
    reply["web"]["results"][1]["age"] = "2 days ago"
    done, _ = search(run, BRAVE, QUERY, reply)

    first, second = (result["published_date"] for result in done.answer["results"])
    assert first == "2025-02-12T00:00:00"
    assert SHAPE.fullmatch(second)


def test_published_date_is_an_iso_8601_timestamp_from_the_snippet_of_google(
    run: InProcess,
) -> None:
    reply = hits(GOOGLE, ["https://a.org/"])
    reply["items"][0]["snippet"] = "Mar 3, 2026 ... Notes from three retrievals"
    done, _ = search(run, GOOGLE, QUERY, reply)

    [result] = done.answer["results"]
    assert result["published_date"] == "2026-03-03T00:00:00"
    assert result["description"] == "Mar 3, 2026 ... Notes from three retrievals"


@needs_root
@each_search
def test_each_tool_looks_for_its_own_credential_else_the_auth_error_without_home_and_passwd_entry(
    script: str,
) -> None:
    done = run_without_home(script, json.dumps(QUERY).encode(), {})

    assert done.answer == seed_json(script, "error")
    assert done.code == 1


@needs_root
@each_search
def test_each_tool_looks_for_its_own_credential_in_the_environment_without_home_and_passwd_entry(
    script: str,
) -> None:
    with Site(as_json(recorded(REPLIES[script]))) as site:
        done = run_without_home(script, json.dumps(QUERY).encode(), site.environ)

    assert (done.code, done.stderr) == (0, "")
    assert done.answer["results"]


@needs_root
@each_search
def test_each_tool_looks_for_its_own_credential_where_xdg_says_without_home_and_passwd_entry(
    script: str, tmp_path: Path
) -> None:
    folder = tmp_path / "webquarry"
    folder.mkdir()
    for name in ("brave-api-key", "google-api-key", "google-engine-id"):
        (folder / name).write_text("from-file-1234")
        (folder / name).chmod(0o600)
    with Site(as_json(recorded(REPLIES[script]))) as site:
        environ = {name: value for name, value in site.environ.items() if "canary" not in value}
        environ.pop("GOOGLE_SEARCH_ENGINE_ID")
        done = run_without_home(
            script, json.dumps(QUERY).encode(), environ | {"XDG_CONFIG_HOME": str(tmp_path)}
        )

    assert done.code == 0
    assert "from-file-1234" in site.asked[0].headers.values()


@pytest.mark.parametrize("outcome", ["missing", "invalid", "gone", "working"])
def test_from_2027_on_the_error_of_web_search_google_names_the_end_of_the_service(
    run: InProcess, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    monkeypatch.setattr(Clock, "now", lambda self: datetime(2027, 1, 1, tzinfo=UTC))
    answers = {
        "invalid": as_json(recorded(INVALID[GOOGLE]), status_of(INVALID[GOOGLE])),
        "gone": as_json({"error": {"code": 410, "message": "Gone"}}, 410),
        "working": as_json(recorded(REPLIES[GOOGLE])),
    }
    with Site(answers.get(outcome, Answer(b""))) as site:
        done = run(GOOGLE, QUERY, {} if outcome == "missing" else site.environ)

    if outcome == "working":
        assert done.answer["results"]
        return
    assert "2027-01-01" in done.error
    assert "web-search-brave-tool" in done.error
    if outcome != "gone":
        assert done.error.startswith(seed_json(GOOGLE, "error")["error"])
