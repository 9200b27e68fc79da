"""Checking executables and schema files by path: what `webquarry tools check` shows.

Paths go in, findings for each come out. An executable in a project's folder is not run before the
folder is trusted, not even to be checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from webquarry.host.discovery import explain_distrust
from webquarry.host.folders import (
    Folder,
    executables_in,
    expand,
    explain_not_runnable,
    is_ours,
    needs_trust,
)
from webquarry.host.models import Executable, Finding
from webquarry.host.probe import MAX_SCHEMA_BYTES, judge_schema, probe
from webquarry.host.start_limiter import StartLimiter
from webquarry.host.trust import TrustStore
from webquarry.settings import Settings

Report = list[tuple[Path, list[Finding]]]


async def check_paths(
    paths: Sequence[Path], settings: Settings, environ: Mapping[str, str]
) -> Report:
    """The findings for each path, in the order given; a directory stands for the executables in
    it.
    """
    files: list[Path] = []
    for path in paths:
        files += list_files(path)
    limiter = StartLimiter()

    async def check(path: Path) -> list[Finding]:
        absolute = expand(path, environ)
        findings = await asyncio.to_thread(_check_without_running, absolute, settings, environ)
        if findings is not None:
            return findings
        executable = Executable(absolute, "user", is_ours(absolute))
        async with limiter.admit() as on_start:
            answer = await probe(executable, environ, on_start)
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


def _check_without_running(
    path: Path, settings: Settings, environ: Mapping[str, str]
) -> list[Finding] | None:
    """What can be said without running it: all of a schema file, or why a program is not run; else
    None.
    """
    if path.suffix == ".json" and path.is_file():
        try:
            with path.open("rb") as file:
                data = file.read(MAX_SCHEMA_BYTES + 1)
        except OSError as error:
            return [Finding("error", "$", f"it cannot be read: {error.strerror}")]
        judged = judge_schema(data)
        return list(judged.findings)
    reason = explain_not_runnable(path)
    if not reason and needs_trust(path.parent, settings, environ):
        store = TrustStore.of(environ)
        reason = explain_distrust(path.parent, store)
    if reason:
        return [Finding("error", "$", reason)]
    return None
