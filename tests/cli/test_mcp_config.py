"""`webquarry mcp config`: what clients need, printed or written without harm to what they have."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from webquarry.cli.app import cli as app
from webquarry.cli.mcp_config import CLIENTS, ServerEntry, write_entry

ENTRY = ServerEntry('/opt/we "b/webquarry', ["mcp"])


def config(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["mcp", "config", *words])
    return done.exit_code, done.stdout or done.stderr


def parsed(client: str, text: str) -> Any:
    return tomllib.loads(text) if client == "codex" else json.loads(text)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_block_is_printed_and_names_this_installation(client: str) -> None:
    code, text = config(client)
    entry = parsed(client, text)[CLIENTS[client].key]["webquarry"]

    assert code == 0
    assert Path(entry["command"]).is_file()
    # The model gets nothing but the text there.
    form = ["--text", "markdown"] if client == "claude-desktop" else []
    assert entry["args"] == ["mcp", *form]


@pytest.mark.parametrize("client", CLIENTS)
def test_missing_file_is_created(client: str, tmp_path: Path) -> None:
    place = tmp_path / "new" / "file"
    code, _ = config(client, "--write", "--file", str(place))

    assert code == 0
    assert "webquarry" in parsed(client, place.read_text())[CLIENTS[client].key]
    assert os.listdir(place.parent) == ["file"]


def test_other_entries_and_user_fields_stay_and_a_backup_is_written(
    tmp_path: Path,
) -> None:
    place = tmp_path / "mcp.json"
    ours = {"command": "old", "args": [], "env": {"BRAVE_API_KEY": "k"}}
    before = {"theme": "däy", "mcpServers": {"other": {"command": "x"}, "webquarry": ours}}
    place.write_text(json.dumps(before))
    place.chmod(0o600)

    _, backup = write_entry(CLIENTS["cursor"], ENTRY, place)

    after = json.loads(place.read_text())
    assert after["theme"] == "däy"
    assert after["mcpServers"]["other"] == {"command": "x"}
    assert after["mcpServers"]["webquarry"] == {
        "command": ENTRY.command,
        "args": ["mcp"],
        "env": {"BRAVE_API_KEY": "k"},
    }
    assert backup is not None
    assert json.loads(backup.read_text()) == before
    assert place.stat().st_mode & 0o777 == 0o600


def test_an_older_backup_is_never_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "mcp.json"
    place.write_text("{}")
    first = write_entry(CLIENTS["cursor"], ENTRY, place)[1]
    second = write_entry(CLIENTS["cursor"], ServerEntry("other", []), place)[1]

    assert first is not None
    assert second is not None
    assert first != second
    assert first.read_text() == "{}"


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", '{"mcpServers": {} / mine\n}'),
        ("cursor", "[]"),
        ("vscode", '{"servers": {}} // mine'),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "[mcp_servers"),
    ],
)
def test_a_file_that_cannot_be_understood_is_left_as_it_is(
    client: str, text: str, tmp_path: Path
) -> None:
    place = tmp_path / "config"
    place.write_text(text)

    code, said = config(client, "--write", "--file", str(place))

    assert code == 1
    assert "was not changed" in said.replace("\n", " ")
    assert place.read_text() == text
    assert os.listdir(tmp_path) == ["config"]


def test_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    code, said = config("cursor", "--write", "--file", str(tmp_path))

    assert code == 1
    assert "cannot be used: Is a directory." in said.replace("\n", " ")
    assert "Errno" not in said


def test_toml_keeps_its_comments_and_its_other_tables(tmp_path: Path) -> None:
    place = tmp_path / "config.toml"
    place.write_text(
        '# mine\nmodel = "o"\n\n[mcp_servers.webquarry] # ours\ncommand = "old"\nargs = '
        '["a"]\nstartup_timeout_sec = 20\n'
        '\n[mcp_servers.webquarry.env]\nKEY = "k" # secret\n\n[mcp_servers.other]\ncommand = "x"\n'
    )

    write_entry(CLIENTS["codex"], ENTRY, place)

    text = place.read_text()
    found = tomllib.loads(text)["mcp_servers"]
    assert text.startswith('# mine\nmodel = "o"\n')
    assert "# secret" in text
    assert found["other"] == {"command": "x"}
    assert found["webquarry"] == {
        "command": ENTRY.command, "args": ["mcp"], "startup_timeout_sec": 20, "env": {"KEY": "k"},
    }  # fmt: skip


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    link.symlink_to(real)

    write_entry(CLIENTS["cursor"], ENTRY, link)

    assert link.is_symlink()
    assert "webquarry" in real.read_text()


@pytest.mark.parametrize("client", CLIENTS)
def test_variables_are_given_or_taken_from_here_and_those_that_are_there_stay(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "from-here")
    place = tmp_path / "file"

    def write(*flags: str) -> dict[str, str]:
        assert config(client, "--write", "--file", str(place), *flags)[0] == 0
        found = parsed(client, place.read_text())[CLIENTS[client].key]["webquarry"]
        variables: dict[str, str] = found["env"]
        return variables

    assert write("--env", "BRAVE_API_KEY=a=b") == {"BRAVE_API_KEY": "a=b"}
    both = {"BRAVE_API_KEY": "a=b", "TAVILY_API_KEY": "from-here"}
    assert write("--env", "TAVILY_API_KEY") == both
    assert write() == both


@pytest.mark.parametrize("given", ["NOT_SET_ANYWHERE", "two words=1", "=1", ""])
def test_a_variable_that_cannot_be_had_is_an_error(given: str) -> None:
    code, said = config("cursor", "--env", given)

    assert code == 1
    assert "Try: " in said
