"""Checking executables and schema files by path: what `webquarry tools check` shows.

Paths go in, findings for each come out. An executable in a project's folder is not run before the
folder is trusted, not even to be checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from webquarry.host.discovery import distrust
from webquarry.host.folders import (
    Folder,
    executables_in,
    expand,
    is_ours,
    needs_trust,
    not_runnable,
)
from webquarry.host.gate import Gate
from webquarry.host.models import Executable, Finding
from webquarry.host.probe import MAX_SCHEMA_BYTES, judge, probe
from webquarry.host.trust import TrustStore
from webquarry.settings import Settings

Report = list[tuple[Path, list[Finding]]]


async def check_paths(
    paths: Sequence[Path], settings: Settings, environ: Mapping[str, str]
) -> Report:
    """The findings for each path, in the order given; a directory stands for the executables in it."""
    files = [file for path in paths for file in _files(path)]
    gate = Gate()
    checks = [_check(gate, file, settings, environ) for file in files]
    return list(zip(files, await asyncio.gather(*checks), strict=True))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found, refused = executables_in(Folder(path, "user"))
    return sorted([*(one.path for one in found), *refused])


async def _check(
    gate: Gate, path: Path, settings: Settings, environ: Mapping[str, str]
) -> list[Finding]:
    absolute = expand(path, environ)
    findings = await asyncio.to_thread(_without_running, absolute, settings, environ)
    if findings is not None:
        return findings
    async with gate.admitted() as on_start:
        answer = await probe(Executable(absolute, "user", is_ours(absolute)), environ, on_start)
    return list(answer.findings)


def _without_running(
    path: Path, settings: Settings, environ: Mapping[str, str]
) -> list[Finding] | None:
    """What can be said without running it: all of a schema file, or why a program is not run; else
    None.
    """
    if path.suffix == ".json" and path.is_file():
        return _check_file(path)
    reason = not_runnable(path)
    if not reason and needs_trust(path.parent, settings, environ):
        reason = distrust(path.parent, TrustStore.of(environ))
    if reason:
        return [Finding("error", "$", reason)]
    return None


def _check_file(path: Path) -> list[Finding]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SCHEMA_BYTES + 1)
    except OSError as error:
        return [Finding("error", "$", f"it cannot be read: {error.strerror}")]
    return list(judge(data).findings)
