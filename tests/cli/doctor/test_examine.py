"""Doctor says what is configured, what works, and how to cure the rest; its exit code tells."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import cast

import pytest

from tests.cli.doctor.reports import (
    CANARY,
    asking_nobody_else,
    look,
    member,
    part,
    provider,
    shown,
)
from tests.net.loopback import message
from tests.search.replies import recorded
from webquarry._search.provider import Provider
from webquarry._search.services import Services
from webquarry.doctor.examine import Report, check_services, examine
from webquarry.errors import NetworkFailure
from webquarry.settings import Settings

KEY_ACCEPTED = message(recorded("brave/bad_input_422_validation"), status="422 Unprocessable")
KEY_REFUSED = message(recorded("brave/auth_422_token_invalid"), status="422 Unprocessable")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_nothing_configured_is_no_failure_but_earns_advice(environ: dict[str, str]) -> None:
    report = look(environ)
    keyed = [finding for finding in report.providers if finding.provider.credentials]

    assert report.ok
    assert {finding.state for finding in keyed} == {"off"}
    assert "BRAVE_API_KEY" in report.advice
    assert "Searching would fail now" in Report(keyed, []).advice


def test_accepted_key_is_ok_with_its_source(environ: dict[str, str]) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=KEY_ACCEPTED)
    finding = provider(report, "brave")

    assert report.ok
    assert (finding.state, finding.reachable) == ("ok", True)
    assert finding.as_dict()["credentials"] == {
        "BRAVE_API_KEY": "environment variable BRAVE_API_KEY"
    }
    assert report.advice.startswith("All that is configured works: searches go to Brave")


def test_a_key_that_is_refused_is_broken_although_the_provider_answers(
    environ: dict[str, str],
) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=KEY_REFUSED)
    finding = provider(report, "brave")

    assert not report.ok
    assert (finding.state, finding.reachable) == ("broken", True)
    assert finding.detail == "answers, but does not accept the credentials"
    assert "environment variable BRAVE_API_KEY" in finding.cure


def test_offline_sends_no_request(environ: dict[str, str]) -> None:
    nowhere = {"BRAVE_API_KEY": CANARY, "WEBQUARRY_BRAVE_URL": "http://127.0.0.1:1"}
    report = look(environ | nowhere, offline=True)
    finding = provider(report, "brave")

    assert report.ok
    assert (finding.state, finding.reachable, finding.detail) == (
        "ok",
        None,
        "configured; not asked",
    )


def test_half_of_the_credentials_is_broken_and_names_the_other_half(
    environ: dict[str, str],
) -> None:
    report = look(environ | {"GOOGLE_SEARCH_API_KEY": CANARY})
    finding = provider(report, "google")

    assert not report.ok
    assert finding.state == "broken"
    assert "GOOGLE_SEARCH_ENGINE_ID" in finding.detail
    assert "google-engine-id" in finding.cure
    assert "google-api-key" not in finding.cure


@pytest.mark.parametrize(
    "brave", [KEY_ACCEPTED, KEY_REFUSED, message(CANARY.encode(), status="500 Oops")]
)
def test_a_key_is_never_shown(environ: dict[str, str], brave: bytes) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=brave)

    assert CANARY not in shown(report) + json.dumps(report.as_dict())


def test_a_provider_that_never_answers_does_not_hold_doctor_up(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webquarry.doctor.examine._PROBE_SECONDS", 0.05)

    async def run() -> Report:
        silent = asyncio.Event()

        async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await silent.wait()
            writer.close()

        async with await asyncio.start_server(never, "127.0.0.1", 0) as server:
            origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            places = dict.fromkeys(
                ("WEBQUARRY_BRAVE_URL", "WEBQUARRY_ARXIV_URL", "WEBQUARRY_LENS_URL"), origin
            )
            report = await examine(
                environ | places | {"BRAVE_API_KEY": CANARY, "LENS_API_TOKEN": CANARY}
            )
            silent.set()
            return report

    with asking_nobody_else():
        report = asyncio.run(run())
    finding = provider(report, "brave")
    late = [finding, member(report.indexes, "arxiv"), member(report.registers, "lens")]

    assert {(one.state, one.reachable) for one in late} == {("broken", False)}
    assert "No answer came within 0.05 seconds" in finding.detail


class Free(Provider):
    name, label, origin = "free", "Free Search", "https://free.example"
    build_request = parse_reply = build_probe = None  # type: ignore[assignment]


class Unreachable:
    """Services of one free provider that cannot be reached."""

    def all(self) -> list[Provider]:
        return [Free({})]

    async def probe(self, service: Provider, seconds: float) -> None:
        raise NetworkFailure(f"{service.name} cannot be reached.")


@pytest.mark.parametrize(
    ("environ_of_choice", "state"),
    [
        ({}, "warning"),
        ({"SEARCH_PROVIDER": "free"}, "broken"),
        ({"WEBQUARRY_FREE_URL": "http://a.example"}, "broken"),
    ],
)
def test_unreachable_provider_is_broken_only_if_the_user_chose_it(
    environ_of_choice: dict[str, str], state: str
) -> None:
    services = cast("Services[Provider]", Unreachable())
    settings = Settings.from_environment(environ_of_choice)
    [finding] = asyncio.run(check_services(services, settings, offline=False))

    assert (finding.state, finding.reachable) == (state, False)
    assert Report([finding], []).ok == (state == "warning")


def test_the_indexes_are_listed_with_the_places_of_their_keys(environ: dict[str, str]) -> None:
    bare = look(environ, offline=True).indexes
    keyed = look(environ | {"OPENALEX_API_KEY": CANARY}, offline=True)
    wrong = look(environ | {"NCBI_API_KEY": "two words"}, offline=True)

    names = ["arxiv", "crossref", "europepmc", "openalex", "pubmed", "semanticscholar"]
    assert [finding.provider.name for finding in bare] == names
    assert {(finding.state, finding.detail) for finding in bare} == {
        ("ok", "needs no key; not asked")
    }
    assert "environment variable OPENALEX_API_KEY" in shown(keyed)
    assert CANARY not in shown(keyed) + json.dumps(keyed.as_dict())
    assert member(wrong.indexes, "pubmed").state == "broken"
    assert "NCBI_API_KEY" in member(wrong.indexes, "pubmed").detail
    assert "or remove it" in member(wrong.indexes, "pubmed").cure


def test_model_key_is_reported_by_source_only(environ: dict[str, str], tmp_path: Path) -> None:
    without = part(look(environ, offline=True), "model")
    folder = tmp_path / ".stps"
    folder.mkdir()
    (folder / "anthropic_api_key").write_text(CANARY)
    (folder / "anthropic_api_key").chmod(0o600)
    in_file = look(environ, offline=True)
    in_environment = part(look({**environ, "ANTHROPIC_API_KEY": CANARY}, offline=True), "model")
    (folder / "anthropic_api_key").write_text(f"{CANARY} and more")
    unusable = part(look(environ, offline=True), "model")

    assert (without.state, part(in_file, "model").state, in_environment.state) == (
        "off",
        "ok",
        "ok",
    )
    assert "ANTHROPIC_API_KEY" in without.cure
    assert "~/.stps/anthropic_api_key" in part(in_file, "model").detail
    assert "environment variable ANTHROPIC_API_KEY" in in_environment.detail
    assert unusable.state == "broken"
    assert CANARY not in f"{in_file.parts} {in_environment} {unusable}"
