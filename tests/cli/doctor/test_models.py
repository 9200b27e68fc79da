"""Doctor asks every vendor of models that is configured, without paying."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.ask.fakes import FakeServers
from webquarry.doctor import checks, probes
from webquarry.doctor.checks import CheckResult
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit


@pytest.fixture
def servers() -> Iterator[FakeServers]:
    with FakeServers() as servers:
        yield servers


def look(environ: Mapping[str, str]) -> CheckResult:
    """What doctor says of the models in an environment."""

    async def run() -> CheckResult:
        settings = Settings.from_environment(environ)
        part = checks.check_model(settings, environ)
        async with Toolkit.open(settings, environ) as kit:
            return await probes.probe_models(part, kit.open_engine(), 10)

    return asyncio.run(run())


def test_each_configured_vendor_is_asked_for_nothing_that_costs(
    servers: FakeServers, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path)}
    result = look(home | servers.environ_without_search | servers.environ_of_vendors)

    assert (result.state, result.reachable) == ("ok", True)
    for name in ("anthropic", "openai", "gemini", "ollama", "openrouter", "compatible"):
        assert name in result.detail
    assert result.detail.endswith("answered")
    assert servers.messages == 0
    assert sorted(head.split(b" ")[1] for head in servers.heads) == [
        *[b"/v1/models"] * 7,
        b"/v1beta/models",
    ]
    assert list(tmp_path.rglob("*.sqlite3")) == []


def test_refused_model_key_names_the_vendor_but_not_the_key(
    servers: FakeServers, tmp_path: Path
) -> None:
    environ = {
        "HOME": str(tmp_path),
        "OPENAI_API_KEY": "sk-wrong-key-0001",
        "WEBQUARRY_OPENAI_URL": servers.url,
    }
    beside = look(environ | servers.environ_without_search)
    chosen = look(environ | {"WEBQUARRY_ASK_MODEL": "openai/gpt-6-luna"})

    assert (beside.state, chosen.state) == ("warning", "broken")
    assert "openai: it did not accept the key" in beside.detail
    assert "sk-wrong-key" not in f"{beside} {chosen}"


def test_local_model_needs_no_key_and_reports_a_stopped_server(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "WEBQUARRY_ASK_MODEL": "ollama/qwen3",
        "WEBQUARRY_OLLAMA_URL": "http://127.0.0.1:9",
    }
    result = look(environ)

    assert (result.state, result.reachable) == ("broken", False)
    assert "no key needed" in result.detail
    assert "could not be reached at 127.0.0.1" in result.detail
