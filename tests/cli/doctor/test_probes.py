"""Doctor asks scholarly indexes, registers of patents and the Redis: the cheapest question, all at
once, never for long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.cli.doctor.reports import asking_nobody_else, member, part, shown
from tests.net.loopback import message, serve
from tests.redis_server import KEY, RedisServer, running
from tests.search.patents.recorded import KEYS
from tests.search.patents.recorded import body_of as patents_body
from tests.search.scholarly.replies import body_of, response
from webquarry._search.scholarly.provider import Scholarly
from webquarry._search.scholarly.providers.arxiv import Arxiv
from webquarry.doctor.examine import Report, examine
from webquarry.registry import members_of
from webquarry.settings import Settings
from webquarry.store import redis_config as redis_place

INDEXES: list[type[Scholarly]] = members_of("webquarry._search.scholarly.providers", Scholarly)
LOGIN, USAGE = "/3.2/auth/accesstoken", "/subscriptions/patent_api/usage"
JSON, XML = "Content-Type: application/json", "Content-Type: application/xml"
PATHS = {
    "arxiv": "/api/query",
    "crossref": "/works",
    "europepmc": "/europepmc/webservices/rest/search",
    "openalex": "/works/W2741809807",
    "pubmed": "/entrez/eutils/esearch.fcgi",
    "semanticscholar": "/graph/v1/paper/search",
    "epo": LOGIN,
    "lens": USAGE,
}
GOOD = {
    PATHS["arxiv"]: message(body_of("arxiv/ok_200.xml"), XML),
    PATHS["crossref"]: message(body_of("crossref/empty_200.json"), JSON),
    PATHS["europepmc"]: message(body_of("europepmc/ok_200_lite.json"), JSON),
    PATHS["openalex"]: message(b'{"id": "https://openalex.org/W2741809807"}', JSON),
    PATHS["pubmed"]: message(body_of("pubmed/step_200_esearch.json"), JSON),
    PATHS["semanticscholar"]: message(body_of("semanticscholar/ok_200.json"), JSON),
    LOGIN: message(patents_body("epo/login_200.json"), JSON),
    USAGE: message(b"{}", JSON),
}
INDEX_KEYS = {
    "OPENALEX_API_KEY": "canary-openalex-1234",
    "NCBI_API_KEY": "canary-ncbi-1234",
    "SEMANTIC_SCHOLAR_API_KEY": "canary-s2-1234",
}


def served_by(origin: str) -> dict[str, str]:
    return {f"WEBQUARRY_{name.upper()}_URL": origin for name in PATHS}


def look(environ: Mapping[str, str], answers: Mapping[str, bytes], **options: Any) -> Report:
    """Doctor's report where one server on this machine is every index and register."""

    async def run() -> Report:
        async with serve(answers) as origin:
            return await examine(
                {"HOME": "/nonexistent"} | served_by(origin) | dict(environ), **options
            )

    with asking_nobody_else():
        return asyncio.run(run())


def test_every_index_and_register_is_asked_and_says_that_it_answers() -> None:
    report = look(KEYS | INDEX_KEYS, GOOD)

    assert {one.provider.name for one in [*report.indexes, *report.registers]} == set(PATHS)
    assert {(one.state, one.reachable) for one in [*report.indexes, *report.registers]} == {
        ("ok", True)
    }
    assert member(report.indexes, "crossref").detail == "answers"
    assert member(report.indexes, "openalex").detail == "answers and accepts the credentials"
    assert member(report.registers, "epo").detail == "answers and accepts the credentials"
    assert "canary" not in shown(report) + json.dumps(report.as_dict())


@pytest.mark.parametrize(
    ("name", "keys", "kind", "cure"),
    [
        ("openalex/auth_401.json", INDEX_KEYS, "did not accept", "openalex.org/settings/api"),
        ("openalex/rate_limited_429_budget.json", {}, "budget", "A free key (OPENALEX_API_KEY)"),
        ("pubmed/auth_400_key.json", INDEX_KEYS, "did not accept", "Replace it"),
        ("semanticscholar/auth_403.json", INDEX_KEYS, "did not accept", "Replace it"),
        ("semanticscholar/rate_limited_429.json", {}, "", "SEMANTIC_SCHOLAR_API_KEY"),
        ("arxiv/rate_limited_200_rate_exceeded.txt", {}, "", "Wait"),
        ("crossref/rate_limited_429.txt", {}, "", "Wait"),
        ("europepmc/network_503.html", {}, "503", "ry again"),
    ],
)
def test_index_that_refuses_searches_reports_reason_and_cure(
    name: str, keys: dict[str, str], kind: str, cure: str
) -> None:
    index = name.partition("/")[0]
    said = response(name)
    headers = [
        f"{header}: {value}" for header, value in said.headers.items() if header != "content-length"
    ]
    reply = message(said.content, *headers, status=f"{said.status_code} As Recorded")
    report = look(keys, GOOD | {PATHS[index]: reply})
    finding = member(report.indexes, index)

    assert (finding.state, report.ok) == ("broken", False)  # chosen: its address was set
    assert kind in finding.detail
    assert cure in finding.cure
    assert finding.cure in shown(report)
    assert "canary" not in json.dumps(report.as_dict())


def test_unreachable_default_index_is_a_warning() -> None:
    with asking_nobody_else():
        report = asyncio.run(examine({"HOME": "/nonexistent"}))

    assert report.ok
    assert {one.state for one in report.indexes} == {"warning"}
    assert {one.state for one in report.registers} == {"off"}
    assert all(one.cure for one in [*report.indexes, *report.registers])


@pytest.mark.parametrize(
    ("register", "reply"),
    [
        ("epo", message(b'{"error": "invalid_client"}', JSON, status="401 Unauthorized")),
        ("lens", message(patents_body("lens/auth_401.json"), JSON, status="401 Unauthorized")),
    ],
)
def test_a_register_that_does_not_take_the_key_is_broken_although_it_answers(
    register: str, reply: bytes
) -> None:
    report = look(KEYS, GOOD | {PATHS[register]: reply})
    finding = member(report.registers, register)

    assert (finding.state, finding.reachable, report.ok) == ("broken", True, False)
    assert "did not accept" in finding.detail
    assert "Replace it" in finding.cure
    assert "canary" not in shown(report) + json.dumps(report.as_dict())


def test_all_are_asked_at_the_same_time() -> None:
    """The server answers nobody before all have asked."""

    async def run() -> Report:
        together = asyncio.Barrier(len(PATHS))

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = [
                line for line in head.lower().splitlines() if line.startswith("content-length:")
            ]
            await reader.readexactly(int(length[0][15:]) if length else 0)
            await together.wait()
            writer.write(GOOD[head.split(" ")[1].partition("?")[0]])
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
            origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            return await examine({"HOME": "/nonexistent"} | served_by(origin) | KEYS)

    with asking_nobody_else():
        report = asyncio.run(run())

    assert {one.state for one in [*report.indexes, *report.registers]} == {"ok"}


@pytest.mark.parametrize("kind", INDEXES, ids=lambda kind: kind.name)
def test_a_probe_asks_for_one_record_at_most_and_for_nothing_that_is_paid_for(
    kind: type[Scholarly],
) -> None:
    url = (
        kind.configure(Settings(contact="me@example.org"), {"HOME": "/nonexistent"} | INDEX_KEYS)
        .build_probe()
        .url
    )
    counts = {
        "arxiv": "max_results",
        "crossref": "rows",
        "europepmc": "pageSize",
        "pubmed": "retmax",
    }
    limit = url.params.get(counts.get(kind.name, "limit"))

    assert url.path == PATHS[kind.name]
    assert (limit in ("0", "1")) != (kind.name == "openalex")
    assert "search" not in url.params  # which OpenAlex would charge for


def test_an_index_of_another_package_that_fails_in_its_own_way_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def build_probe(self: Arxiv) -> Any:
        raise KeyError("nobody thought of that")

    monkeypatch.setattr(Arxiv, "build_probe", build_probe)
    finding = member(look({}, GOOD).indexes, "arxiv")

    assert finding.state == "broken"
    assert "KeyError" in finding.detail


@pytest.fixture
def redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    monkeypatch.setattr(redis_place, "_CHECK_SECONDS", 60)  # the machine may be busy
    with running() as server:
        yield server


def asked(environ: Mapping[str, str]) -> Report:
    with asking_nobody_else():
        return asyncio.run(examine(environ))


def test_a_redis_that_answers_is_ok_and_nothing_is_written_to_it(redis: RedisServer) -> None:
    report = asked(redis.environ)
    finding = part(report, "redis")

    assert (finding.state, finding.reachable) == ("ok", True)
    assert finding.detail.endswith("; answers")
    assert finding.as_dict()["reachable"] is True
    assert redis.say("DBSIZE") == b":0\r\n"


def test_a_redis_that_others_use_with_another_key_is_broken(redis: RedisServer) -> None:
    async def used() -> None:
        async with redis.connect() as link:
            await redis_place.check_redis(link)

    asyncio.run(used())
    other = bytes(reversed(KEY)).hex()

    assert part(asked(redis.environ), "redis").state == "ok"
    finding = part(asked(redis.environ | {"WEBQUARRY_STORE_KEY": other}), "redis")
    assert (finding.state, finding.reachable) == ("broken", True)
    assert "another WEBQUARRY_STORE_KEY" in finding.detail
    assert other not in repr(finding)


def test_a_redis_that_does_not_let_us_in_is_broken_and_the_password_is_not_shown(
    redis: RedisServer,
) -> None:
    redis.say("CONFIG", "SET", "requirepass", "the-right-one")
    wrong = "canary-redis-9876"
    report = asked(redis.environ | {"WEBQUARRY_REDIS_URL": f"unix://:{wrong}@{redis.socket}"})
    finding = part(report, "redis")

    assert (finding.state, finding.reachable, report.ok) == ("broken", True, False)
    assert "refuses access" in finding.detail
    assert finding.cure in shown(report)
    assert wrong not in shown(report) + json.dumps(report.as_dict())
