"""What each MCP client needs in its configuration to start our server: printed, or written into the
client's file.

A file is read whole before it is touched, only our entry in it is set, what it held before stays
beside it as a backup, and the new one takes its place in one step. A file that cannot be understood
is left alone, with an error. JSON keeps its other entries and their order; comments, which JSON
proper has not, are a reason to leave the file alone. TOML is edited as text, so that comments stay.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webquarry.errors import BadInput

_SCRIPT = "webquarry"
_INDENT = 2


@dataclass(frozen=True)
class ServerEntry:
    """One server in a client's configuration."""

    name: str
    command: str
    args: list[str]


@dataclass(frozen=True)
class McpClient:
    """Where a client looks, and under which key."""

    key: str
    place: Callable[[], Path]
    extra: tuple[tuple[str, str], ...] = ()  # what an entry needs besides
    toml: bool = False

    def fields(self, entry: ServerEntry) -> dict[str, Any]:
        return {**dict(self.extra), "command": entry.command, "args": entry.args}

    def block(self, entry: ServerEntry) -> str:
        """The block as it stands in the client's file."""
        if self.toml:
            return _toml(self.key, entry)
        return json.dumps({self.key: {entry.name: self.fields(entry)}}, indent=_INDENT) + "\n"

    def merged(self, text: str, entry: ServerEntry) -> str:
        """The text of the file with our entry set and all others as they were."""
        if self.toml:
            return _merged_toml(text, self.key, entry)
        return self._merged_json(text, entry)

    def _merged_json(self, text: str, entry: ServerEntry) -> str:
        whole = json.loads(text) if text.strip() else {}
        if not isinstance(whole, dict) or not isinstance(whole.setdefault(self.key, {}), dict):
            raise ValueError(f"{self.key} is not where it belongs")
        before = whole[self.key].get(entry.name)
        kept = {}  # such as env with the keys of the user
        if isinstance(before, dict):
            kept = before
        whole[self.key][entry.name] = {**kept, **self.fields(entry)}
        return json.dumps(whole, indent=_INDENT, ensure_ascii=False) + "\n"


def _desktop() -> Path:
    if sys.platform == "darwin":
        folder = Path("~/Library/Application Support/Claude").expanduser()
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA", "~")).expanduser() / "Claude"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "Claude"
    return folder / "claude_desktop_config.json"


CLIENTS = {
    "claude": McpClient("mcpServers", lambda: Path(".mcp.json"), (("type", "stdio"),)),
    "claude-desktop": McpClient("mcpServers", _desktop),
    "cursor": McpClient("mcpServers", lambda: Path("~/.cursor/mcp.json").expanduser()),
    "vscode": McpClient("servers", lambda: Path(".vscode/mcp.json"), (("type", "stdio"),)),
    "codex": McpClient("mcp_servers", lambda: Path(os.environ.get("CODEX_HOME") or "~/.codex").expanduser() / "config.toml", toml=True),
}  # fmt: skip


def entry_for(toolset: str) -> ServerEntry:
    """How this installation is started: by its whole path, which desktop applications need."""
    beside = Path(sys.executable).parent / (
        f"{_SCRIPT}.exe" if sys.platform == "win32" else _SCRIPT
    )
    if beside.is_file():
        command = str(beside)
    else:
        command = shutil.which(_SCRIPT) or _SCRIPT
    return ServerEntry(
        "webquarry", command, ["mcp", *([] if toolset == "research" else ["--toolset", toolset])]
    )


def write_entry(
    client: McpClient, entry: ServerEntry, place: Path | None = None
) -> tuple[Path, Path | None]:
    """Write the entry; where to, and where what was there before is kept."""
    place = (place or client.place()).expanduser()
    try:
        place = place.resolve()  # a link stays a link
        before = place.read_text("utf-8") if place.exists() else ""
        after = client.merged(before, entry)
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(
            f"The file {place} cannot be understood, so it was left as it is "
            f"({type(error).__name__}: {error}).",
            suggested_action="Correct it, or put in by hand what the command prints without "
            "--write.",
        ) from error
    if after == before:
        return place, None
    try:
        return place, _replace(place, before, after)
    except OSError as error:
        raise BadInput(
            f"The file {place} cannot be written: {error.strerror}.",
            suggested_action="Name another one with --file.",
        ) from error


def _replace(place: Path, before: str, after: str) -> Path | None:
    place.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if place.exists():
        backup = _free_name(place)
        shutil.copy2(place, backup)
    new = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        new.touch(mode=0o600)
        new.write_text(after, "utf-8")
        if backup:
            shutil.copymode(place, new)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)
    return backup


def _free_name(place: Path) -> Path:
    """A name for the backup that nothing has yet: an older backup may be the one that somebody
    needs.
    """
    names = (place.with_name(f"{place.name}.bak{number or ''}") for number in range(10_000))
    return next(name for name in names if not name.exists())


def _toml(key: str, entry: ServerEntry) -> str:
    args = ", ".join(json.dumps(word) for word in entry.args)  # a JSON string is a TOML string
    return f"[{key}.{entry.name}]\ncommand = {json.dumps(entry.command)}\nargs = [{args}]\n"


def _merged_toml(text: str, key: str, entry: ServerEntry) -> str:
    """Our table takes the place of the one there was, or stands at the end; its other values are
    kept.
    """
    whole = tomllib.loads(text)
    before = whole.get(key, {}).get(entry.name)
    block = _toml(key, entry)
    if before is None:
        if text.strip():
            after = f"{text.rstrip()}\n\n{block}"
        else:
            after = block
    else:
        head = re.search(
            rf"(?m)^[ \t]*\[[ \t]*{key}[ \t]*\.[ \t]*\"?{entry.name}\"?[ \t]*\][ \t]*(?:#.*)?$\n?",
            text,
        )
        if head is None:
            raise ValueError(f"{entry.name} is there, but not as a table of its own")
        end = re.search(r"(?m)^[ \t]*\[", text[head.end() :])
        stop = head.end() + end.start() if end else len(text)
        kept = _without(text[head.end() : stop], ("command", "args"))
        after = text[: head.start()] + block + kept + text[stop:]
    wanted = {**(before or {}), "command": entry.command, "args": entry.args}
    expected = {**whole, key: {**whole.get(key, {}), entry.name: wanted}}
    if tomllib.loads(after) != expected:
        raise ValueError("it is written in a way that cannot be edited safely")
    return after


def _without(lines: str, names: tuple[str, ...]) -> str:
    """The lines of a table but those that set one of these, each on one line."""
    setting = re.compile(rf"[ \t]*(?:{'|'.join(names)})[ \t]*=")
    return "".join(line for line in lines.splitlines(keepends=True) if not setting.match(line))
