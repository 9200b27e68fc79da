"""Configuration of MCP clients, printed or written to the client's file.

A file is replaced atomically, with a backup; only our entry changes, comments and order stay. A
file that cannot be parsed is an error and stays unchanged. TOML is edited by `tomlkit`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webquarry.cli import jsonc
from webquarry.errors import BadInput

_SCRIPT = "webquarry"
_INDENT = 2
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OWNER_ONLY = 0o600  # a client's file may hold keys


@dataclass(frozen=True)
class ServerEntry:
    """One server in the configuration of a client."""

    name: str
    command: str
    args: list[str]
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class McpClient:
    """A client: its file, the key of its servers, and the form of an entry."""

    key: str
    usual_path: Callable[[], Path]  # may begin with ~
    label: str
    look_for: str  # how to check that it works
    extra: tuple[tuple[str, str], ...] = ()  # further fields of an entry
    toml: bool = False
    text: str = ""  # text of results, for clients that ignore structured content

    def fields(self, entry: ServerEntry) -> dict[str, Any]:
        """The fields of the entry in the client's file."""
        fields: dict[str, Any] = {**dict(self.extra), "command": entry.command}
        fields["args"] = entry.args
        if entry.env:
            fields["env"] = entry.env
        return fields

    def merge_fields(self, before: Any, entry: ServerEntry) -> dict[str, Any]:
        """Our fields, merged with those that the user added, such as keys in env."""
        if not isinstance(before, dict):
            before = {}
        fields = self.fields(entry)
        kept_env = before.get("env")
        if entry.env and isinstance(kept_env, dict):
            fields["env"] = {**kept_env, **entry.env}
        return {**before, **fields}

    def block(self, entry: ServerEntry) -> str:
        """The text of a file with only this entry."""
        content = {self.key: {entry.name: self.fields(entry)}}
        if not self.toml:
            return json.dumps(content, indent=_INDENT) + "\n"
        import tomlkit

        return tomlkit.dumps(content)

    def merge(self, text: str, entry: ServerEntry) -> str:
        """Set our entry in the text of a file. Raises ValueError if it cannot be done safely."""
        if self.toml:
            return self._merge_toml(text, entry)
        return self._merge_json(text, entry)

    def _merge_json(self, text: str, entry: ServerEntry) -> str:
        whole = jsonc.parse(text)
        servers = None
        if isinstance(whole, dict):
            servers = whole.get(self.key, {})
        if not isinstance(servers, dict):
            raise ValueError(f"{self.key} is not where it belongs")
        before = servers.get(entry.name)
        ours = self.merge_fields(before, entry)
        if before == ours:
            return text
        after = text
        if isinstance(before, dict):
            for name, value in ours.items():
                if before.get(name) != value:
                    after = jsonc.set_member(after, (self.key, entry.name, name), value)
        else:
            after = jsonc.set_member(text, (self.key, entry.name), ours)
        if jsonc.parse(after) != {**whole, self.key: {**servers, entry.name: ours}}:
            raise ValueError("it is written in a way that cannot be edited safely")
        return after

    def _merge_toml(self, text: str, entry: ServerEntry) -> str:
        whole = tomllib.loads(text)
        servers = whole.get(self.key, {})
        if not isinstance(servers, dict):
            raise ValueError(f"{self.key} is not where it belongs")
        before = servers.get(entry.name)
        if before is not None:
            after = self._replace_in_toml(text, entry)
        elif text.strip():
            after = f"{text.rstrip()}\n\n{self.block(entry)}"
        else:
            after = self.block(entry)
        ours = self.merge_fields(before, entry)
        expected = {**whole, self.key: {**servers, entry.name: ours}}
        if tomllib.loads(after) != expected:
            raise ValueError("it is written in a way that cannot be edited safely")
        return after

    def _replace_in_toml(self, text: str, entry: ServerEntry) -> str:
        """Replace the values of our table."""
        import tomlkit
        from tomlkit.items import Table

        document = tomlkit.parse(text)
        servers: Any = document[self.key]
        ours = servers[entry.name]
        if not isinstance(ours, Table):
            raise ValueError(f"{entry.name} is there, but not as a table of its own")
        for name, value in self.fields(entry).items():
            if name == "env" and "env" in ours:
                ours["env"].update(value)
            else:
                ours[name] = value
        return tomlkit.dumps(document)


def _claude_desktop_path() -> Path:
    """The configuration file of Claude Desktop on this platform."""
    if sys.platform == "darwin":
        folder = Path("~/Library/Application Support/Claude")
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA", "~")) / "Claude"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "Claude"
    return folder / "claude_desktop_config.json"


def _codex_path() -> Path:
    """The configuration file of Codex."""
    folder = os.environ.get("CODEX_HOME") or "~/.codex"
    return Path(folder) / "config.toml"


_STDIO = (("type", "stdio"),)
CLIENTS = {
    "claude": McpClient(
        "mcpServers",
        lambda: Path(".mcp.json"),
        "Claude Code",
        "Start claude in this folder and accept the server when it asks; /mcp then lists "
        "webquarry as connected.",
        _STDIO,
    ),
    "claude-desktop": McpClient(
        "mcpServers",
        _claude_desktop_path,
        "Claude Desktop",
        "Quit Claude Desktop and start it again; Settings > Developer then lists webquarry as "
        "running.",
        text="markdown",
    ),
    "cursor": McpClient(
        "mcpServers",
        lambda: Path("~/.cursor/mcp.json"),
        "Cursor",
        "In Cursor, Settings > MCP lists webquarry with a green dot and its tools; switch it on "
        "if it is off.",
    ),
    "vscode": McpClient(
        "servers",
        lambda: Path(".vscode/mcp.json"),
        "VS Code",
        "Open this folder in VS Code and run the command `MCP: List Servers`; webquarry is there, "
        "and running once it was started.",
        _STDIO,
    ),
    "codex": McpClient(
        "mcp_servers",
        _codex_path,
        "Codex",
        "Start codex again; /mcp then lists webquarry with its tools.",
        toml=True,
    ),
}


def read_variables(given: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Parse `NAME=VALUE`, or `NAME` alone for its current value."""
    variables = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not _VARIABLE.fullmatch(name):
            raise BadInput(
                f"{one!r} is not a variable.",
                suggested_action="Give NAME=VALUE, or NAME alone for its current value.",
            )
        if not sign and name not in environ:
            raise BadInput(
                f"The variable {name} is not set.",
                suggested_action=f"Set it, or give the value: --env {name}=VALUE",
            )
        variables[name] = value if sign else environ[name]
    return variables


def entry_for(
    toolset: str, text: str = "", variables: Mapping[str, str] | None = None
) -> ServerEntry:
    """The entry of this installation, with its absolute path, which desktop clients need."""
    file_name = f"{_SCRIPT}.exe" if sys.platform == "win32" else _SCRIPT
    beside_python = Path(sys.executable).parent / file_name
    if beside_python.is_file():
        command = str(beside_python)
    else:
        command = shutil.which(_SCRIPT) or _SCRIPT
    args = ["mcp"]
    if toolset != "research":
        args += ["--toolset", toolset]
    if text:
        args += ["--text", text]
    return ServerEntry("webquarry", command, args, dict(variables or {}))


def write_entry(
    client: McpClient, entry: ServerEntry, path: Path | None = None
) -> tuple[Path, Path | None]:
    """Write the entry to the client's file, or to `path`. Return the file and its backup."""
    path = (path or client.usual_path()).expanduser()
    try:
        path = path.resolve()  # replace the target of a symbolic link
        before = path.read_text("utf-8-sig") if path.exists() else ""
        after = client.merge(before, entry)
    except OSError as error:
        raise BadInput(
            f"The file {path} cannot be read: {error.strerror}.",
            suggested_action="Add the output of the command without --write by hand.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"The file {path} cannot be parsed and was not changed: {error}.",
            suggested_action="Correct it, or add the output without --write by hand.",
        ) from error
    if after == before:
        return path, None
    try:
        return path, _replace_file(path, after)
    except OSError as error:
        raise BadInput(
            f"The file {path} cannot be written: {error.strerror}.",
            suggested_action="Name another one with --file.",
        ) from error


def _replace_file(path: Path, content: str) -> Path | None:
    """Replace the file atomically and return its backup."""
    path.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if path.exists():
        backup = path.with_name(f"{path.name}.bak")
        number = 0
        while backup.exists():
            number += 1
            backup = path.with_name(f"{path.name}.bak{number}")
        shutil.copy2(path, backup)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        draft.touch(mode=_OWNER_ONLY)
        draft.write_text(content, "utf-8")
        if backup:
            shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return backup
