"""Configuration of MCP clients, printed or written to the client's file.

A file is replaced atomically, with a backup; other entries, comments and order stay. A file that
cannot be parsed is an error and stays unchanged. JSON may have comments and trailing commas.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webquarry.errors import BadInput

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STRING = r'("(?:[^"\\\n]|\\.)*+")'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/|\ufeff", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[\]}}])")
_OWNER_ONLY = 0o600  # a client's file may hold keys


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
        """Set our entry in the text of a file. Raises ValueError if it cannot be done safely."""
        if self.toml:
            import tomlkit

            whole = tomlkit.parse(text).unwrap()
        else:
            whole = parse_json(text)
        servers = whole.get(self.key, {}) if isinstance(whole, dict) else None
        if not isinstance(servers, dict):
            raise ValueError(f"{self.key} is not an object")
        before = servers.get(entry.name)
        ours: dict[str, Any] = {**self.extra, "command": entry.command, "args": entry.args}
        if isinstance(before, dict):  # fields and variables that the user added stay
            ours = before | ours
        env = {**ours.get("env", {}), **entry.env}
        if env:
            ours["env"] = env
        if before == ours:
            return text
        expected = {**whole, self.key: {**servers, entry.name: ours}}
        if not self.toml:
            after = set_member(text, (self.key, entry.name), ours)
            is_as_expected = parse_json(after) == expected
        else:
            document: Any = tomlkit.parse(text)
            if self.key not in document:
                document[self.key] = tomlkit.table(is_super_table=True)
            table: Any = document[self.key]
            if entry.name not in table:
                table[entry.name] = tomlkit.table()
            for name, value in ours.items():
                if name == "env" and "env" in table[entry.name]:
                    table[entry.name]["env"].update(value)
                else:
                    table[entry.name][name] = value
            after = tomlkit.dumps(document)
            is_as_expected = tomlkit.parse(after).unwrap() == expected
        if not is_as_expected:
            raise ValueError("it is written in a way that cannot be edited safely")
        return after


def parse_json(text: str) -> Any:
    """Parse JSON with comments and trailing commas; an empty text is an empty object."""
    return json.loads(_blank_out(text).strip() or "{}")


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """Set the member at `path`, and create the objects above it; the rest of the text stays."""
    if not _blank_out(text).strip():
        text = f"{text.rstrip()}\n{{}}\n".lstrip()
    clean = _blank_out(text)
    start = clean.index("{")
    for depth, name in enumerate(path):
        members = dict(_find_members(clean, start))
        indent = "  " * (depth + 1)
        begin, end = members.get(name, (start + 1, start + 1))
        if name in members and depth + 1 < len(path):
            start = begin
            continue
        for missing in reversed(path[depth + 1 :]):
            value = {missing: value}
        written = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", f"\n{indent}")
        if name not in members:
            comma = "," if members else f"\n{indent[2:]}"
            written = f"\n{indent}{json.dumps(name)}: {written}{comma}"
        return text[:begin] + written + text[end:]
    raise ValueError("the path is empty")


def _blank_out(text: str) -> str:
    """Replace comments and trailing commas by spaces, so that places stay the same."""

    def blank(found: re.Match[str]) -> str:
        return found[1] or re.sub(r"[^\n]", " ", found[0])

    return _TRAILING_COMMA.sub(blank, _COMMENT.sub(blank, text))


def _find_members(text: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the name of each member of the object at `start`, and the place of its value."""
    decoder = json.JSONDecoder()
    if text[start] != "{":
        raise ValueError("a member is not an object")
    place = start + 1
    while text[place:].lstrip(" \t\r\n,")[:1] == '"':
        place = text.index('"', place)
        name, place = decoder.raw_decode(text, place)
        begin = text.index(":", place) + 1
        begin += len(text[begin:]) - len(text[begin:].lstrip())
        _, place = decoder.raw_decode(text, begin)
        yield name, (begin, place)


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
