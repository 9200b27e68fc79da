"""Configuration of MCP clients, printed or written to the client's file.

A file is replaced atomically, with a backup; other entries stay, in TOML also comments. A file that
cannot be parsed, such as JSON with comments, is an error and stays unchanged.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webquarry.errors import BadInput
from webquarry.store.open import write_private

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class ServerEntry:
    """Our server in the configuration of a client."""

    command: str
    args: list[str]
    env: dict[str, str] = field(default_factory=dict)
    name: str = "webquarry"


@dataclass(frozen=True)
class McpClient:
    """A client: its file, the key of its servers, and the form of an entry."""

    key: str
    usual_path: Callable[[], Path]  # may start with ~
    label: str
    look_for: str  # how to check that it works
    extra: Mapping[str, str] = field(default_factory=dict)  # further fields of an entry
    toml: bool = False
    text: str = ""  # text of results, for clients that ignore structured content

    def merge(self, text: str, entry: ServerEntry) -> str:
        """Set our entry in the text of a file; fields and variables that the user added stay.
        Raises ValueError.
        """
        document: Any
        if self.toml:
            import tomlkit

            document = tomlkit.parse(text)
            servers = document.setdefault(self.key, tomlkit.table(is_super_table=True))
            ours = servers.setdefault(entry.name, tomlkit.table())
        else:
            document = json.loads(text.strip() or "{}")
            if not isinstance(document, dict) or not isinstance(document.get(self.key, {}), dict):
                raise ValueError(f"{self.key} is not an object")
            ours = document.setdefault(self.key, {}).setdefault(entry.name, {})
        ours.update({**self.extra, "command": entry.command, "args": entry.args})
        if entry.env and "env" in ours:
            ours["env"].update(entry.env)
        elif entry.env:
            ours["env"] = entry.env
        if self.toml:
            return tomlkit.dumps(document)
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _claude_desktop_path() -> Path:
    """The configuration file of Claude Desktop on this platform."""
    if sys.platform == "darwin":
        folder = Path("~/Library/Application Support/Claude")
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA", "~")) / "Claude"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "Claude"
    return folder / "claude_desktop_config.json"


_STDIO = {"type": "stdio"}
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
        lambda: Path(os.environ.get("CODEX_HOME") or "~/.codex") / "config.toml",
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
    script = Path(sys.executable).parent / (
        "webquarry.exe" if sys.platform == "win32" else "webquarry"
    )
    command = str(script) if script.is_file() else shutil.which("webquarry") or "webquarry"
    args = ["mcp"]
    if toolset != "research":
        args += ["--toolset", toolset]
    if text:
        args += ["--text", text]
    return ServerEntry(command, args, dict(variables or {}))


def write_entry(
    client: McpClient, entry: ServerEntry, path: Path | None = None
) -> tuple[Path, Path | None]:
    """Write the entry to the client's file, or to `path`. Return the file and its backup."""
    path = (path or client.usual_path()).expanduser()
    try:
        path = path.resolve()  # replace the target of a symbolic link
        before = path.read_text("utf-8-sig") if path.exists() else ""
        after = client.merge(before, entry)
        if after == before:
            return path, None
        return path, _replace_file(path, after)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"The file {path} cannot be parsed and was not changed: {error}.",
            suggested_action="Correct it, or add the output without --write by hand.",
        ) from error


def _replace_file(path: Path, content: str) -> Path | None:
    """Replace the file atomically and return its backup."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write_private(path, content.encode())  # it may hold keys
        return None
    number = 1
    while (backup := path.with_name(f"{path.name}.bak{number}")).exists():
        number += 1
    shutil.copy2(path, backup)
    write_private(path, content.encode())
    shutil.copymode(backup, path)
    return backup
