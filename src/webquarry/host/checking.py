"""Checking executables and schema files by path: what `webquarry tools check` shows.

Paths go in, findings for each come out. An executable in a project's folder is not run before the
folder is trusted, not even to be checked.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from webquarry.host.folders import (
    Folder,
    executables_in,
    expand,
    explain_not_runnable,
    is_ours,
    needs_trust,
    tool_folders,
)
from webquarry.host.models import Executable, Finding
from webquarry.host.options.options import name_forms
from webquarry.host.probe import judge_schema
from webquarry.host.probing.schema_probe import SchemaProbe
from webquarry.host.trust.store import TrustStore
from webquarry.settings import Settings

Report = list[tuple[Path, list[Finding]]]


async def check_paths(
    paths: Sequence[Path], settings: Settings, environ: Mapping[str, str]
) -> Report:
    """The findings for each path, in the order given; a directory stands for the executables in
    it, and a name for the tool of that file in the tool folders.
    """
    files: list[Path] = []
    for path in paths:
        files += list_files(_find_by_name(path, settings, environ))
    probe = SchemaProbe(settings, environ)

    async def check(path: Path) -> list[Finding]:
        absolute = expand(path, environ)
        checked = await asyncio.to_thread(_check_without_running, absolute, settings, environ)
        if not isinstance(checked, Executable):
            return checked
        answer = await probe.ask(checked, anew=True)  # whoever checks a tool has just changed it
        return list(answer.findings)

    findings = await asyncio.gather(*map(check, files))
    return list(zip(files, findings, strict=True))


def list_files(path: Path) -> list[Path]:
    """The path itself, or the files of a directory that are or might be tools."""
    if not path.is_dir():
        return [path]
    executables, refused = executables_in(Folder(path, "user"))
    files = list(refused)
    for executable in executables:
        files.append(executable.path)
    return sorted(files)


def _find_by_name(path: Path, settings: Settings, environ: Mapping[str, str]) -> Path:
    """The path itself if it is there; else the file of the tool that it names, if there is one."""
    if os.path.lexists(path) or len(path.parts) != 1:
        return path
    for folder in reversed(tool_folders(settings, environ)):
        executables, _ = executables_in(folder)
        for executable in executables:
            if path.name in name_forms(executable.path):
                return executable.path
    return path


def _check_without_running(
    path: Path, settings: Settings, environ: Mapping[str, str]
) -> list[Finding] | Executable:
    """What can be said without running it: all of a schema file, or why a program is not run; else
    the program to ask.
    """
    if path.suffix == ".json" and path.is_file():
        try:
            with path.open("rb") as file:
                data = file.read(settings.tool_schema_max_bytes + 1)
        except OSError as error:
            return [Finding("error", "$", f"it cannot be read: {error.strerror}")]
        judged = judge_schema(data, most_bytes=settings.tool_schema_max_bytes)
        return list(judged.findings)
    reason = explain_not_runnable(path)
    if reason:
        return [Finding("error", "$", reason)]
    executable = Executable(path, "user", is_ours(path))
    if not needs_trust(path.parent, settings, environ):
        return executable
    trusted = TrustStore.of(environ).judge(path.parent)
    if trusted.copy is None:
        return [Finding("error", "$", trusted.distrust)]
    return replace(executable, copy=trusted.copy / path.name)
