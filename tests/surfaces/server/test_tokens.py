"""Tokens of our own: shown once, kept as a hash, gone when they are revoked."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from webquarry.errors import BadInput, NotFound
from webquarry.surfaces.cli.app import app
from webquarry.surfaces.server.principal import AccessDenied, Principal, VerifierUnavailable
from webquarry.surfaces.server.tokens import MCP, METRICS, TokenFile, TokenVerifier


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "folder" / "tokens.json")


def verified(file: TokenFile | TokenVerifier, token: str) -> Principal:
    verifier = file if isinstance(file, TokenVerifier) else TokenVerifier(file)
    return asyncio.run(verifier.verify(token))


def test_a_token_is_good_for_whoever_it_was_made_for(file: TokenFile) -> None:
    token = file.add("laptop")

    assert verified(file, token).name == "laptop"
    with pytest.raises(AccessDenied, match="not known"):
        verified(file, token + "x")


def test_the_file_holds_no_token_and_is_the_owners_alone(file: TokenFile) -> None:
    token = file.add("laptop")

    assert token not in file.path.read_text()
    assert token.removeprefix("wq_") not in file.path.read_text()
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_a_running_server_notices_new_and_revoked_tokens(file: TokenFile) -> None:
    first = file.add("first")
    verifier = TokenVerifier(file)
    assert verified(verifier, first).name == "first"

    second = file.add("second")
    assert verified(verifier, second).name == "second"

    file.revoke("first")
    with pytest.raises(AccessDenied):
        verified(verifier, first)
    assert verified(verifier, second).name == "second"


def test_a_token_ends_when_its_time_is_over(file: TokenFile) -> None:
    token = file.add("guest", lasts=timedelta(seconds=-1))

    with pytest.raises(AccessDenied, match="expired"):
        verified(file, token)


def test_a_new_token_of_an_old_name_does_not_inherit_what_the_old_one_left(file: TokenFile) -> None:
    old = verified(file, file.add("laptop"))
    file.revoke("laptop")
    new = verified(file, file.add("laptop"))

    assert old.id != new.id


def test_two_tokens_may_speak_for_one_caller(file: TokenFile) -> None:
    laptop, phone = file.add("laptop"), file.add("phone", like="laptop")

    assert verified(file, laptop).id == verified(file, phone).id
    with pytest.raises(NotFound, match="no token 'nobody'"):
        file.add("third", like="nobody")


def test_a_token_is_for_the_tools_or_for_the_figures(file: TokenFile) -> None:
    caller, watcher = file.add("laptop"), file.add("prometheus", use=METRICS)

    assert verified(file, caller).scopes == {MCP}
    assert verified(file, watcher).scopes == {METRICS}


def test_a_token_of_a_file_that_does_not_say_what_for_is_for_the_tools(file: TokenFile) -> None:
    token = file.add("laptop")

    assert (
        "use" not in json.loads(file.path.read_text())["tokens"][0]
    )  # which an older version could not read
    assert verified(file, token).scopes == {MCP}


ENTRY = {
    "name": "laptop",
    "principal": "token:1",
    "sha256": "00",
    "created": "2026-01-01T00:00:00+00:00",
}
DAMAGED = [
    "{",
    "[]",
    "\x00",
    '{"tokens": [{"name": 1}]}',
    '{"tokens": 5}',
    json.dumps({"tokens": [ENTRY | {"expires": "soon"}]}),
    json.dumps({"tokens": [ENTRY | {"expires": "2026-01-01T00:00:00"}]}),
    json.dumps({"tokens": [ENTRY | {"principal": ""}]}),
    json.dumps({"tokens": [ENTRY | {"use": "everything"}]}),
]


@pytest.mark.parametrize("text", [*DAMAGED, b"\xff\xfe".decode("latin-1")])
def test_a_damaged_file_lets_nobody_in_and_is_said_once(
    file: TokenFile, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    token = file.add("laptop")
    verifier = TokenVerifier(file)
    verified(verifier, token)
    whole = file.path.read_bytes()
    file.path.write_text(text, encoding="latin-1")

    for _ in range(2):
        with pytest.raises(VerifierUnavailable):
            verified(verifier, token)
    assert len([record for record in caplog.records if "is damaged" in record.getMessage()]) == 1
    with pytest.raises(BadInput, match="damaged"):
        file.tokens()
    file.path.write_bytes(whole)
    assert verified(verifier, token)


def test_a_file_that_is_gone_lets_nobody_in(file: TokenFile) -> None:
    token = file.add("laptop")
    verifier = TokenVerifier(file)
    verified(verifier, token)
    file.path.unlink()

    with pytest.raises(AccessDenied):
        verified(verifier, token)


@pytest.mark.parametrize("name", ["", " laptop", "x" * 65, "a\nb"])
def test_a_name_that_nobody_could_read_is_refused(file: TokenFile, name: str) -> None:
    with pytest.raises(BadInput, match="printable"):
        file.add(name)


def test_a_name_is_given_once(file: TokenFile) -> None:
    file.add("laptop")

    with pytest.raises(BadInput, match="already"):
        file.add("laptop")


def test_the_command_prints_the_token_alone_on_stdout_and_lists_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_TOKENS_FILE", str(tmp_path / "tokens.json"))
    runner = CliRunner()

    made = runner.invoke(app, ["token", "add", "laptop", "--expires", "30d"])
    listed = runner.invoke(app, ["token", "list"])
    revoked = runner.invoke(app, ["token", "revoke", "laptop"])
    gone = runner.invoke(app, ["token", "revoke", "laptop"])

    assert made.stdout.startswith("wq_")
    assert made.stdout.count("\n") == 1
    assert "laptop" in listed.stdout
    assert made.stdout.strip() not in listed.output
    assert (revoked.exit_code, gone.exit_code) == (0, 1)
    assert "no token 'laptop'" in gone.output
    assert json.loads((tmp_path / "tokens.json").read_text())["tokens"] == []


def test_piped_the_list_is_one_object_also_when_it_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_TOKENS_FILE", str(tmp_path / "tokens.json"))
    runner = CliRunner()
    assert json.loads(runner.invoke(app, ["token", "list"]).stdout) == {"tokens": []}
    runner.invoke(app, ["token", "add", "laptop", "--expires", "30d"])
    runner.invoke(app, ["token", "add", "desk", "--like", "laptop"])

    laptop, desk = json.loads(runner.invoke(app, ["token", "list"]).stdout)["tokens"]

    assert (laptop["name"], laptop["expired"], laptop["use"]) == ("laptop", False, "mcp")
    assert desk["expires"] is None
    assert desk["sameCallerAs"] == ["laptop"]


def test_the_command_makes_a_token_for_the_figures_and_the_list_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_TOKENS_FILE", str(tmp_path / "tokens.json"))
    runner = CliRunner()
    runner.invoke(app, ["token", "add", "laptop"])
    runner.invoke(app, ["token", "add", "prometheus", "--metrics"])

    laptop, prometheus = runner.invoke(app, ["token", "list", "--text"]).stdout.splitlines()

    assert prometheus.endswith("for /metrics alone")
    assert "/metrics" not in laptop


@pytest.mark.parametrize("text", ["30", "d", "0d", "-1d", "5y"])
def test_a_duration_that_is_none_is_told(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_TOKENS_FILE", str(tmp_path / "tokens.json"))

    done = CliRunner().invoke(app, ["token", "add", "x", f"--expires={text}"])

    assert done.exit_code != 0
    assert "is no duration" in done.output
