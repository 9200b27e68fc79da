"""The token file and `webquarry token`."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from webquarry.cli.app import cli as app
from webquarry.errors import BadInput
from webquarry.mcp.auth import (
    MCP,
    METRICS,
    AccessDenied,
    Principal,
    TokenFile,
    VerifierUnavailable,
)


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "folder" / "tokens.json")


def verify(file: TokenFile, token: str) -> Principal:
    return asyncio.run(file.verify(token))


def test_a_token_is_verified_and_any_other_is_denied(file: TokenFile) -> None:
    token = file.add("laptop")

    assert verify(file, token).name == "laptop"
    with pytest.raises(AccessDenied, match="unknown"):
        verify(file, token + "x")


def test_the_file_holds_only_hashes_and_is_private(file: TokenFile) -> None:
    token = file.add("laptop")

    assert token.removeprefix("wq_") not in file.path.read_text()
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.path.parent.iterdir() if path != file.path] == [
        "tokens.json.lock"
    ]


def test_a_running_server_notices_new_and_revoked_tokens(file: TokenFile) -> None:
    server = TokenFile(file.path)
    first = file.add("first")
    assert verify(server, first).name == "first"

    second = file.add("second")
    assert verify(server, second).name == "second"

    file.revoke("first")
    with pytest.raises(AccessDenied):
        verify(server, first)
    assert verify(server, second).name == "second"


def test_an_expired_token_is_denied(file: TokenFile) -> None:
    token = file.add("guest", lasts=timedelta(seconds=-1))

    with pytest.raises(AccessDenied, match="expired"):
        verify(file, token)


def test_a_new_token_with_the_name_of_a_revoked_one_is_another_principal(file: TokenFile) -> None:
    old = verify(file, file.add("laptop"))
    file.revoke("laptop")
    new = verify(file, file.add("laptop"))

    assert old.id != new.id


def test_a_token_is_for_the_tools_or_for_metrics(file: TokenFile) -> None:
    caller, prometheus = file.add("laptop"), file.add("prometheus", use=METRICS)

    assert verify(file, caller).scopes == {MCP}
    assert verify(file, prometheus).scopes == {METRICS}


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
    "\xff\xfe",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_grants_no_access_and_is_logged_once(
    file: TokenFile, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    token = file.add("laptop")
    verify(file, token)
    sound = file.path.read_bytes()
    file.path.write_text(text, encoding="latin-1")

    for _ in range(2):
        with pytest.raises(VerifierUnavailable):
            verify(file, token)
    assert len([record for record in caplog.records if "is damaged" in record.getMessage()]) == 1
    with pytest.raises(BadInput, match="damaged"):
        file.tokens()
    file.path.write_bytes(sound)
    assert verify(file, token)


def test_a_deleted_file_grants_no_access(file: TokenFile) -> None:
    token = file.add("laptop")
    verify(file, token)
    file.path.unlink()

    with pytest.raises(AccessDenied):
        verify(file, token)


@pytest.mark.parametrize("name", ["", " laptop", "x" * 65, "a\nb"])
def test_unprintable_and_long_names_are_refused(file: TokenFile, name: str) -> None:
    with pytest.raises(BadInput, match="printable"):
        file.add(name)


def test_names_are_unique(file: TokenFile) -> None:
    file.add("laptop")

    with pytest.raises(BadInput, match="already exists"):
        file.add("laptop")


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("WEBQUARRY_TOKENS_FILE", str(tmp_path / "tokens.json"))
    return CliRunner()


def test_the_command_prints_a_token_once_and_lists_and_revokes_it(
    runner: CliRunner, tmp_path: Path
) -> None:
    added = runner.invoke(app, ["token", "add", "laptop", "--expires", "30d"])
    listed = runner.invoke(app, ["token", "list"])
    revoked = runner.invoke(app, ["token", "revoke", "laptop"])
    again = runner.invoke(app, ["token", "revoke", "laptop"])

    assert added.stdout.startswith("wq_")
    assert added.stdout.count("\n") == 1
    assert "laptop" in listed.stdout
    assert added.stdout.strip() not in listed.output
    assert (revoked.exit_code, again.exit_code) == (0, 1)
    assert "no token 'laptop'" in again.output
    assert json.loads((tmp_path / "tokens.json").read_text())["tokens"] == []


@pytest.mark.parametrize("text", ["30", "d", "0d", "-1d", "5y"])
def test_an_invalid_duration_is_refused(runner: CliRunner, text: str) -> None:
    done = runner.invoke(app, ["token", "add", "x", f"--expires={text}"])

    assert done.exit_code != 0
    assert "Invalid duration" in done.output
