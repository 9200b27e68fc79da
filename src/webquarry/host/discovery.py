"""Discovery of tools in the folders of the system, the user and the project, in this order.

All executables are asked for their descriptions (`--schema`) in parallel. Tools of later folders
override earlier ones of the same name. A file that cannot be served is skipped with its reason.
Executables of a project are not run before its folder is trusted.

The system folder is by default that of the scripts of this Python, of which only our own
executables, with names ending in -tool, are run.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from webquarry.credentials import NOWHERE, find_home
from webquarry.errors import BadInput
from webquarry.host.models import Executable, Finding, HostedTool, Origin, Skipped, ToolSchema
from webquarry.host.options import (
    SUFFIX,
    BadOptions,
    environment_for,
    escape_unprintable,
    find_options,
    name_forms,
    quote_output,
)
from webquarry.host.run import ProcessLimits, explain_failure, explain_start_failure, run_bounded
from webquarry.host.schema import as_schema, check_schema
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.trust import TrustStore
from webquarry.host.vendors import is_name_of
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_ORIGINS = ("system", "user", "project")
_MAX_PROBES = 16  # concurrent ones
_MAX_SCHEMA_BYTES = 1_048_576


@dataclass(frozen=True)
class Folder:
    """A tool folder; `names` limits it to these files."""

    path: Path
    origin: Origin
    names: tuple[str, ...] | None = None


async def discover(
    settings: Settings, environ: Mapping[str, str], names: Sequence[str] = ()
) -> tuple[list[HostedTool], list[Skipped]]:
    """Ask all executables for their descriptions, or only those that may have one of `names`.
    Return the tools by name, and the files that were skipped.
    """
    executables: list[Executable] = []
    skipped: list[Skipped] = []
    for folder in tool_folders(settings, environ):
        found, refused = await asyncio.to_thread(_list_folder, folder, TrustStore.of(environ))
        executables += found
        skipped += refused
    named = [one for one in executables if not names or _may_be_one_of(one, names)]
    probes = await _ask_all(named, settings, environ)
    schemas = [answer.schema for answer in probes.values() if answer.schema]
    if not all(any(is_name_of(one.name, name) for one in schemas) for name in names):
        probes = await _ask_all(executables, settings, environ)  # the file has another name
    tools = _choose_by_name(probes, skipped)
    skipped.sort(key=lambda one: (_ORIGINS.index(one.origin), str(one.path)))
    return [tools[name] for name in sorted(tools)], skipped


def log_skipped(skipped: Iterable[Skipped]) -> None:
    """Log skipped files with their reasons."""
    for one in skipped:
        level = logging.INFO if one.state == "overridden" else logging.WARNING
        path = escape_unprintable(str(one.path))
        log.log(level, "the tool %s is skipped: %s", path, one.reason)


async def check_paths(
    paths: Sequence[Path], settings: Settings, environ: Mapping[str, str]
) -> list[tuple[Path, list[Finding]]]:
    """Return the findings for each path: an executable, a schema file, a folder of them, or the
    name of a tool in the tool folders.
    """
    files = [file for path in paths for file in _list_files(path, settings, environ)]
    findings = await asyncio.gather(*(_check_file(file, settings, environ) for file in files))
    return list(zip(files, findings, strict=True))


def tool_folders(settings: Settings, environ: Mapping[str, str]) -> list[Folder]:
    """Return the tool folders. A folder that is given twice has its first origin."""
    scripts = find_scripts()
    system = scripts
    if settings.system_tools is not None:
        system = expand(settings.system_tools, environ)
    names = list_own_names() if system.resolve() == scripts.resolve() else None
    folders = [
        Folder(system, "system", names),
        Folder(expand(settings.user_tools, environ), "user"),
        Folder(expand(settings.project_tools, environ), "project"),
    ]
    by_path: dict[Path, Folder] = {}
    for folder in folders:
        by_path.setdefault(folder.path.resolve(), folder)
    return list(by_path.values())


def needs_trust(folder: Path, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Return whether a folder is the tool folder of a project, by its place or its name."""
    place = folder.resolve()
    for known in tool_folders(settings, environ):
        if known.path.resolve() == place:
            return known.origin == "project"
    name = settings.project_tools.parts
    return not settings.project_tools.is_absolute() and place.parts[-len(name) :] == name


def folder_to_trust(path: Path, project_tools: Path) -> Path:
    """Return the tool folder of the project at `path`, or `path` itself. Raises BadInput if it
    holds no executable.
    """
    inside = path / project_tools
    folder = inside if inside.is_dir() else path
    if not executables_in(Folder(folder, "project"))[0]:
        raise BadInput(
            f"There is no executable to trust in {folder}.",
            suggested_action=f"Name a project that has tools in {project_tools}, or the tool "
            "folder itself.",
        )
    return folder


def expand(path: Path, environ: Mapping[str, str]) -> Path:
    """Return the absolute path, with `~` as the HOME of this environment. Without a home, and in a
    deleted folder, the result is a path that does not exist.
    """
    if path.parts[:1] == ("~",):
        home = find_home(environ) or NOWHERE
        path = home.joinpath(*path.parts[1:])
    try:
        return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    except FileNotFoundError:
        return NOWHERE / path


def executables_in(folder: Folder) -> tuple[list[Executable], dict[Path, str]]:
    """Return the executables of a folder, and the other files with the reason why they cannot be
    run. Hidden files and the options of tools are left out.
    """
    try:
        names = [entry.name for entry in os.scandir(folder.path)]
    except OSError:
        return [], {}
    if folder.names is not None:
        names = list(folder.names)
    executables: list[Executable] = []
    refused: dict[Path, str] = {}
    for name in sorted(names):
        path = folder.path / name
        if name.startswith(".") or (path.suffix == SUFFIX and path.stem in names):
            continue
        reason = explain_not_runnable(path)
        if reason:
            refused[path] = reason
        else:
            executables.append(Executable(path, folder.origin, is_ours(path)))
    return executables, refused


def is_ours(path: Path) -> bool:
    """Return whether webquarry installed this executable."""
    return path.name in list_own_names() and path.parent.resolve() == find_scripts().resolve()


def explain_not_runnable(path: Path) -> str:
    """Return why a file cannot be a program; empty if it may be one."""
    if not path.exists():
        return (
            "it is a link to a file that does not exist" if path.is_symlink() else "it is missing"
        )
    if not path.is_file():
        return "it is not a file"
    return "" if os.access(path, os.X_OK) else "it is not executable"


def find_scripts() -> Path:
    """Return the folder of the scripts of this Python."""
    return Path(sysconfig.get_path("scripts"))


@cache
def list_own_names() -> tuple[str, ...]:
    """Return the file names of our own executables."""
    try:
        points = distribution("webquarry").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        return ()
    suffix = ".exe" if sys.platform == "win32" else ""
    return tuple(sorted({f"{one.name}{suffix}" for one in points if one.name.endswith("-tool")}))


async def _ask_all(
    executables: Sequence[Executable], settings: Settings, environ: Mapping[str, str]
) -> dict[Executable, Probe]:
    """Ask executables for their descriptions, some at a time."""
    slots = asyncio.Semaphore(_MAX_PROBES)

    async def ask(executable: Executable) -> Probe:
        async with slots:
            return await probe(executable, settings, environ)

    answers = await asyncio.gather(*map(ask, executables))
    return dict(zip(executables, answers, strict=True))


def _may_be_one_of(executable: Executable, names: Sequence[str]) -> bool:
    """Return whether the name of the file is that of one of these tools."""
    forms = name_forms(executable.path)
    return any(is_name_of(form, name) for form in forms for name in names)


def _list_folder(folder: Folder, store: TrustStore) -> tuple[list[Executable], list[Skipped]]:
    """Return the executables that may be run, and the files that are skipped without running."""
    executables, refused = executables_in(folder)
    skipped = [Skipped(path, reason, folder.origin) for path, reason in refused.items()]
    if folder.origin == "project" and executables:
        distrust = store.explain_distrust(folder.path)
        if distrust:
            for executable in executables:
                skipped.append(Skipped(executable.path, distrust, folder.origin, "untrusted"))
            return [], skipped
    return executables, skipped


def _choose_by_name(
    probes: Mapping[Executable, Probe], skipped: list[Skipped]
) -> dict[str, HostedTool]:
    """Return one tool for each name: that of the last folder, and in one folder the first by file
    name. The others are added to `skipped`.
    """
    tools: dict[str, HostedTool] = {}
    for executable, answer in probes.items():
        if answer.schema is None:
            skipped.append(Skipped(executable.path, answer.reason, executable.origin))
            continue
        tool = HostedTool(answer.schema, executable, answer.findings)
        other = tools.get(tool.name)
        if other is not None:
            loser, winner = other, tool
            if other.origin == tool.origin:
                loser, winner = tool, other
            place = escape_unprintable(str(winner.path))
            reason = f"the tool {tool.name} is served by {place} instead"
            skipped.append(Skipped(loser.path, reason, loser.origin, "overridden", tool.name))
            tool = winner
        tools[tool.name] = tool
    return tools


def _list_files(path: Path, settings: Settings, environ: Mapping[str, str]) -> list[Path]:
    """Return the path, the file of the tool of that name, or the files of a folder."""
    if path.is_dir():
        executables, refused = executables_in(Folder(path, "user"))
        return sorted([*refused, *(executable.path for executable in executables)])
    if not os.path.lexists(path) and len(path.parts) == 1:
        for folder in reversed(tool_folders(settings, environ)):
            for executable in executables_in(folder)[0]:
                if path.name in name_forms(executable.path):
                    return [executable.path]
    return [path]


async def _check_file(path: Path, settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Return the findings about a schema file or an executable."""
    most_bytes = settings.tool_schema_max_bytes
    path = expand(path, environ)
    if path.suffix == ".json" and path.is_file():
        try:
            with path.open("rb") as file:
                return list(judge_schema(file.read(most_bytes + 1), None, most_bytes).findings)
        except OSError as error:
            return [Finding("error", "$", f"it cannot be read: {error.strerror}")]
    reason = explain_not_runnable(path)
    origin: Origin = "user"
    if not reason and needs_trust(path.parent, settings, environ):
        origin = "project"
        reason = await asyncio.to_thread(TrustStore.of(environ).explain_distrust, path.parent)
    if reason:
        return [Finding("error", "$", reason)]
    answer = await probe(Executable(path, origin, is_ours(path)), settings, environ)
    return list(answer.findings)


@dataclass(frozen=True)
class Probe:
    """The description of an executable, or the reason why it has none."""

    schema: ToolSchema | None
    findings: tuple[Finding, ...] = ()
    reason: str = ""


async def probe(executable: Executable, settings: Settings, environ: Mapping[str, str]) -> Probe:
    """Run `executable --schema` and judge its output."""
    seconds = settings.tool_schema_seconds
    most_bytes = settings.tool_schema_max_bytes
    try:
        options = find_options(executable, settings)
        completed = await run_bounded(
            [str(executable.path), "--schema"],
            ProcessLimits(seconds, most_bytes),
            environment_for(executable, environ, options.variables),
        )
    except BadOptions as problem:
        return _refuse(f"its {executable.path.name}{SUFFIX} {problem}")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        return _refuse(explain_start_failure(error))
    if completed.ending == "timed_out":
        return _refuse(f"it did not end within {seconds:g} s")
    if completed.ending == "too_much":
        return _refuse(f"its output is longer than {most_bytes} bytes")
    failure = explain_failure(completed)
    if failure:
        return _refuse(failure)
    return judge_schema(completed.stdout, executable.path.name, most_bytes)


def judge_schema(
    data: bytes, binary: str | None = None, most_bytes: int = _MAX_SCHEMA_BYTES
) -> Probe:
    """Return the description in these bytes, or the reason why it is not valid."""
    if len(data) > most_bytes:
        return _refuse(f"its output is longer than {most_bytes} bytes")
    try:
        value = parse_json(data)
    except NotJson as error:
        beginning = f": {quote_output(data)}" if data.strip() else ""
        return _refuse(redact(f"its output {error}{beginning}"))
    findings = tuple(check_schema(value, binary))
    for finding in findings:
        if finding.severity == "error":
            reason = f"its schema is not valid: {finding.path}: {finding.message}"
            return Probe(None, findings, redact(reason))
    return Probe(as_schema(value), findings)


def _refuse(reason: str) -> Probe:
    return Probe(None, (Finding("error", "$", reason),), reason)
