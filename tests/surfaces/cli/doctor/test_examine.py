"""Doctor says what is configured, what works, and how to cure the rest; its exit code tells."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import os
import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from tests.net.loopback import message, serve
from tests.search.replies import recorded
from webquarry.errors import NetworkFailure
from webquarry.records.file import RecordFile
from webquarry.search.provider import Provider
from webquarry.search.services.service import Service
from webquarry.search.services.services import Services
from webquarry.settings import Settings
from webquarry.surfaces.cli.doctor.view import show_report
from webquarry.surfaces.doctor import installation
from webquarry.surfaces.doctor.check_result import CheckResult
from webquarry.surfaces.doctor.checks import examine_parts
from webquarry.surfaces.doctor.examine import Report, ServiceCheck, check_provider, examine
from webquarry.toolkit import Toolkit

BRAVE_PATH = "/res/v1/web/search"
CANARY = "canary-5up3r-53cr3t"
KEY_ACCEPTED = message(recorded("brave/bad_input_422_validation"), status="422 Unprocessable")
KEY_REFUSED = message(recorded("brave/auth_422_token_invalid"), status="422 Unprocessable")
KEY_EXHAUSTED = message(
    recorded("brave/rate_limited_429_quota_limited"), status="429 Too Many Requests"
)


def look(
    environ: Mapping[str, str], *, offline: bool = False, brave: bytes | None = None
) -> Report:
    """Doctor's report; where an answer of Brave's is given, a server on this machine gives it."""

    async def run() -> Report:
        if brave is None:
            return await examine(environ, offline=offline)
        async with serve({BRAVE_PATH: brave}) as origin:
            return await examine({**environ, "WEBQUARRY_BRAVE_URL": origin}, offline=offline)

    with asking_nobody_else():
        return asyncio.run(run())


REAL_PROBE = Services.probe


@contextmanager
def asking_nobody_else() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Services, "probe", probe_on_this_machine)
        yield


async def probe_on_this_machine(
    self: Services[Any], service: Service, seconds: float | None = None
) -> None:
    """The real probe, but to nobody beyond this machine."""
    if "127.0.0.1" not in service.base:
        raise NetworkFailure("Nobody is there.")
    await REAL_PROBE(self, service, seconds)


def provider(report: Report, name: str) -> ServiceCheck:
    return next(finding for finding in report.providers if finding.provider.name == name)


def member(findings: list[ServiceCheck], name: str) -> ServiceCheck:
    return next(finding for finding in findings if finding.provider.name == name)


def part(report: Report, name: str) -> CheckResult:
    return next(finding for finding in report.parts if finding.name == name)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_nothing_configured_is_no_failure_but_earns_advice(environ: dict[str, str]) -> None:
    report = look(environ)
    keyed = [finding for finding in report.providers if finding.provider.credentials]

    assert report.ok
    assert {finding.state for finding in keyed} == {"off"}
    assert "BRAVE_API_KEY" in report.advice
    assert "No search provider is configured: set BRAVE_API_KEY" in Report(keyed, []).advice


def test_every_provider_that_is_off_says_what_to_set_and_where_to_get_it(
    environ: dict[str, str],
) -> None:
    for finding in [finding for finding in look(environ).providers if finding.state == "off"]:
        for variable in finding.provider.missing:
            assert variable in finding.cure
        for credential in finding.provider.credentials:
            assert f"~/.config/webquarry/{credential.file}" in finding.cure
        assert finding.provider.sign_up in finding.cure


def test_a_key_that_is_accepted_is_ok_and_its_place_is_told(environ: dict[str, str]) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=KEY_ACCEPTED)
    finding = provider(report, "brave")

    assert report.ok
    assert (finding.state, finding.configured, finding.reachable) == ("ok", True, True)
    assert finding.as_dict()["credentials"] == {
        "BRAVE_API_KEY": "environment variable BRAVE_API_KEY"
    }
    assert report.advice == "All that is configured works."


def test_a_key_that_is_refused_is_broken_although_the_provider_answers(
    environ: dict[str, str],
) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=KEY_REFUSED)
    finding = provider(report, "brave")

    assert not report.ok
    assert (finding.state, finding.reachable) == ("broken", True)
    assert finding.detail == "answers, but does not accept the credentials"
    assert "environment variable BRAVE_API_KEY" in finding.cure


def test_a_provider_that_would_refuse_a_search_now_is_broken(environ: dict[str, str]) -> None:
    finding = provider(look(environ | {"BRAVE_API_KEY": CANARY}, brave=KEY_EXHAUSTED), "brave")

    assert (finding.state, finding.reachable) == ("broken", True)
    assert "quota" in finding.detail


def test_a_provider_that_cannot_be_reached_is_broken(environ: dict[str, str]) -> None:
    nowhere = {"BRAVE_API_KEY": CANARY, "WEBQUARRY_BRAVE_URL": "http://127.0.0.1:1"}
    finding = provider(look(environ | nowhere), "brave")

    assert (finding.state, finding.reachable) == ("broken", False)
    assert finding.cure


def test_offline_asks_nobody(environ: dict[str, str]) -> None:
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


def test_a_value_that_cannot_be_a_key_is_broken(environ: dict[str, str]) -> None:
    finding = provider(look(environ | {"BRAVE_API_KEY": f"{CANARY} and more"}), "brave")

    assert finding.state == "broken"
    assert "BRAVE_API_KEY cannot be a key" in finding.detail


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_a_key_file_that_others_can_read_earns_a_warning(
    environ: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / ".config" / "webquarry" / "brave-api-key"
    file.parent.mkdir(parents=True)
    file.write_text(CANARY)
    file.chmod(0o644)
    report = look(environ, offline=True)
    finding = provider(report, "brave")
    file.chmod(0o600)

    assert report.ok
    assert (finding.state, finding.cure) == ("warning", f"chmod 600 {file}")
    assert provider(look(environ, offline=True), "brave").state == "ok"


def test_the_end_of_googles_service_is_told(environ: dict[str, str]) -> None:
    finding = provider(look(environ), "google")

    assert "2027-01-01" in finding.as_dict()["notice"]
    assert "2027-01-01" in shown(look(environ))


def shown(report: Report) -> str:
    console = Console(file=io.StringIO(), markup=False, emoji=False, highlight=False)
    show_report(console, report)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    "brave", [KEY_ACCEPTED, KEY_REFUSED, message(CANARY.encode(), status="500 Oops")]
)
def test_a_key_is_never_shown(environ: dict[str, str], brave: bytes) -> None:
    report = look(environ | {"BRAVE_API_KEY": CANARY}, brave=brave)

    assert CANARY not in shown(report) + json.dumps(report.as_dict())


def test_what_is_shown_names_every_finding_with_its_cure(environ: dict[str, str]) -> None:
    report = look(environ | {"WEBQUARRY_TIMEOUT": "3"})
    text = shown(report)

    for finding in [*report.providers, *report.indexes, *report.registers]:
        assert finding.provider.label in text
        assert finding.cure in text
    for one in report.parts:
        assert one.name in text
        assert one.cure in text
    assert report.advice in text


def test_a_provider_that_never_answers_does_not_hold_doctor_up(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webquarry.surfaces.doctor.examine._PROBE_SECONDS", 0.05)

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


def test_a_setting_that_cannot_be_used_is_a_finding_and_the_rest_is_still_looked_at(
    environ: dict[str, str],
) -> None:
    report = look(environ | {"WEBQUARRY_RETRIES": "many", "BRAVE_API_KEY": CANARY})

    assert not report.ok
    assert "WEBQUARRY_RETRIES" in part(report, "settings").detail
    assert [finding.name for finding in report.parts].count("settings") == 1
    assert provider(report, "brave").configured


def test_a_misspelt_setting_is_pointed_out(environ: dict[str, str]) -> None:
    finding = part(look(environ | {"WEBQUARRY_MAXBYTES": "5"}), "settings")

    assert finding.state == "warning"
    assert "did you mean WEBQUARRY_MAX_BYTES?" in finding.cure


def find(name: str, environ: Mapping[str, str]) -> CheckResult:
    settings = Settings.from_environment(environ)
    return next(finding for finding in examine_parts(settings, environ) if finding.name == name)


def test_parts_that_were_not_compiled_are_off_and_nothing_is_broken(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "is_importable", lambda module: True)
    assert find("compiled", environ).state == "ok"

    walk = "webquarry.read.main_content._walk"
    monkeypatch.setattr(installation, "is_importable", lambda module: module != walk)
    found = find("compiled", environ)

    assert found.state == "off"
    assert "C compiler" in found.cure


def test_an_old_libxml2_is_broken(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert find("libxml2", environ).state == "ok"
    monkeypatch.setattr("lxml.etree.LIBXML_VERSION", (2, 11, 9))

    assert find("libxml2", environ).state == "broken"
    assert "2.11.9" in find("libxml2", environ).detail


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("http2", ["h2"]),
        ("brotli", ["brotli", "brotlicffi"]),
        ("zstd", ["compression.zstd", "backports.zstd", "zstandard"]),
        ("socks", ["socksio"]),
    ],
)
def test_a_library_that_is_not_there_is_off_and_says_how_to_get_it(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, name: str, modules: list[str]
) -> None:
    assert find(name, environ).state == "ok"
    real = importlib.util.find_spec
    monkeypatch.setattr(
        installation, "find_spec", lambda module: None if module in modules else real(module)
    )

    assert find(name, environ).state == "off"
    assert "pip install" in find(name, environ).cure


def test_a_socks_proxy_without_its_library_is_broken(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda module: None)

    assert find("socks", environ | {"ALL_PROXY": "socks5://127.0.0.1:9"}).state == "broken"


def test_a_proxy_is_shown_without_its_password(environ: dict[str, str]) -> None:
    finding = find(
        "proxy",
        environ
        | {"HTTPS_PROXY": f"http://me:{CANARY}@proxy.example:3128", "NO_PROXY": "a.example"},
    )

    assert finding.detail == "https by proxy.example:3128, but not for a.example"


def test_a_ca_file_that_is_none_is_broken(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "company.pem"
    file.write_text("no certificate")

    assert find("trust store", environ | {"WEBQUARRY_CA_FILE": str(file)}).state == "broken"
    assert (
        find("trust store", environ | {"WEBQUARRY_CA_FILE": str(tmp_path / "absent.pem")}).state
        == "broken"
    )


def test_folders_that_cannot_be_written_to_earn_a_warning(
    environ: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "in-the-way"
    file.write_text("")
    finding = find("cache folder", environ | {"XDG_CACHE_HOME": str(file / "below")})

    assert finding.state == "warning"
    assert "XDG_CACHE_HOME" in finding.cure
    assert find("cache folder", environ | {"WEBQUARRY_CACHE_FOLDER": str(file)}).state == "warning"
    assert find("cache folder", environ).detail == str(tmp_path / ".cache" / "webquarry")
    assert not (tmp_path / ".cache").exists(), "doctor looks and does not touch"


def test_records_that_cannot_be_used_are_told_with_a_cure_and_left_as_they_are(
    environ: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "records"
    chosen = environ | {"WEBQUARRY_STATE_FOLDER": str(folder)}
    assert find("state folder", chosen) == CheckResult("state folder", "ok", str(folder))
    assert not folder.exists()
    file = RecordFile(folder)
    file.do(lambda database, cipher: None)
    file.close()
    assert find("state folder", chosen).state == "ok"
    (folder / "state.key").write_bytes(bytes(32))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    lost = find("state folder", chosen)
    in_memory = find("state folder", chosen | {"WEBQUARRY_RECORDS": "memory"})

    assert (lost.state, "state.key" in lost.detail) == ("broken", True)
    assert "backup" in lost.cure
    assert in_memory.state == "warning"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_recording_and_replay_are_told(environ: dict[str, str], tmp_path: Path) -> None:
    assert find("recording", environ | {"WEBQUARRY_RECORD": str(tmp_path / "a.warc")}).state == "ok"
    assert (
        find("recording", environ | {"WEBQUARRY_RECORD": str(tmp_path / "no" / "a.warc")}).state
        == "broken"
    )
    assert (
        find("recording", environ | {"WEBQUARRY_REPLAY": str(tmp_path / "no.warc")}).state
        == "broken"
    )
    assert find("recording", environ | {"WEBQUARRY_REPLAY": "demo"}).state == "warning"


def test_a_replay_asks_no_provider(environ: dict[str, str]) -> None:
    finding = provider(
        look(environ | {"WEBQUARRY_REPLAY": "demo", "BRAVE_API_KEY": CANARY}), "brave"
    )

    assert (finding.state, finding.reachable) == ("ok", None)


@pytest.mark.skipif(
    sys.platform in ("darwin", "win32"), reason="trust is the system's own affair there"
)
def test_a_system_without_certificate_authorities_is_broken(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = ssl.get_default_verify_paths()
    monkeypatch.setattr(
        ssl, "get_default_verify_paths", lambda: real._replace(cafile="", capath=str(tmp_path))
    )

    assert find("trust store", environ).state == "broken"


class Free(Provider):
    name, label, origin = "free", "Free Search", "https://free.example"
    build_request = parse_reply = build_probe = None  # type: ignore[assignment]


class Unreachable:
    """A toolkit whose router reaches nobody."""

    def __init__(self, **environ: str) -> None:
        self.settings = Settings.from_environment(environ)
        self.router = self

    async def probe(self, name: str) -> None:
        raise NetworkFailure(f"{name} cannot be reached.")


@pytest.mark.parametrize(
    ("environ_of_choice", "state"),
    [
        ({}, "warning"),
        ({"SEARCH_PROVIDER": "free"}, "broken"),
        ({"WEBQUARRY_FREE_URL": "http://a.example"}, "broken"),
    ],
)
def test_a_provider_that_does_not_answer_is_a_failure_only_if_somebody_chose_it(
    environ_of_choice: dict[str, str], state: str
) -> None:
    kit = cast(Toolkit, Unreachable(**environ_of_choice))
    finding = asyncio.run(check_provider(kit, Free({}), offline=False))

    assert (finding.state, finding.reachable) == (state, False)
    assert Report([finding], []).ok == (state == "warning")


def test_without_any_key_the_advice_names_who_needs_none(environ: dict[str, str]) -> None:
    keyed = [
        finding for finding in look(environ, offline=True).providers if finding.provider.credentials
    ]
    free = ServiceCheck(Free({}), "ok", "answers", reachable=True, chosen=False)

    assert (
        "searches go to Free Search. A key, such as BRAVE_API_KEY"
        in Report([*keyed, free], []).advice
    )


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


def test_the_models_key_is_told_by_its_place_and_never_shown(
    environ: dict[str, str], tmp_path: Path
) -> None:
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
