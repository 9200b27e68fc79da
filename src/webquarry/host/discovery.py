"""Finding tools: the executables of the tool folders are asked, all in parallel, and the best of
each name is kept.

Later folders override earlier ones by the tool's name. Whatever cannot be served is skipped with
its reason; one bad tool never keeps the others from loading. A project's folder is not touched
before it is trusted. Who wants a tool by its name has only that one asked: a file is named after
its tool, and of others it is known what they are since they were last asked. Where neither leads to
the tool, all are asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from webquarry.host.environment import escape_unprintable
from webquarry.host.folders import Folder, executables_in, tool_folders
from webquarry.host.models import Executable, HostedTool, Skipped
from webquarry.host.options.options import name_forms
from webquarry.host.probe import Probe
from webquarry.host.probing.schema_probe import SchemaProbe
from webquarry.host.translation.naming import is_name_of
from webquarry.host.trust.store import TrustStore
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_ORIGINS = ("system", "user", "project")  # in the order in which they are shown


@dataclass(frozen=True)
class Discovery:
    """What was found: the tools that can be run, by name, and everything that was passed over."""

    tools: tuple[HostedTool, ...]
    skipped: tuple[Skipped, ...]


async def discover(
    settings: Settings, environ: Mapping[str, str], names: Sequence[str] = ()
) -> Discovery:
    """Look into all folders and ask every executable there, or only the tools of these names."""
    executables: list[Executable] = []
    skipped: list[Skipped] = []
    for folder in tool_folders(settings, environ):
        found, passed_over = await asyncio.to_thread(_list_folder, folder, TrustStore.of(environ))
        executables += found
        skipped += passed_over
    probe = SchemaProbe(settings, environ)
    probes: dict[Executable, Probe] | None = None
    if names:
        probes = await _ask_by_name(names, executables, probe)
    if probes is None:
        answers = await asyncio.gather(*map(probe.ask, executables))
        probes = dict(zip(executables, answers, strict=True))
    tools = _choose_by_name(probes, skipped)
    skipped.sort(key=lambda one: (_ORIGINS.index(one.origin), str(one.path)))
    by_name = [tools[name] for name in sorted(tools)]
    return Discovery(tuple(by_name), tuple(skipped))


def log_skipped(skipped: Iterable[Skipped]) -> None:
    """Log everything that was passed over, with its path and reason."""
    for one in skipped:
        level = logging.INFO if one.state == "overridden" else logging.WARNING
        path = escape_unprintable(str(one.path))
        log.log(level, "the tool %s is skipped: %s", path, one.reason)


async def _ask_by_name(
    names: Sequence[str], executables: list[Executable], probe: SchemaProbe
) -> dict[Executable, Probe] | None:
    """The tools of these names, and those of which it is known that they are broken; None when a
    name does not lead to a tool.
    """
    recalled = await asyncio.gather(*map(probe.recall, executables))
    known = dict(zip(executables, recalled, strict=True))
    probes: dict[Executable, Probe] = {}
    for executable, answer in known.items():
        if answer is not None and answer.schema is None:
            probes[executable] = answer
    # The last folder's first, and in one folder by file name.
    ordered = sorted(executables, key=lambda one: -_ORIGINS.index(one.origin))
    for name in names:
        is_found = False
        for executable in ordered:
            if not _may_have_name(executable, known[executable], name):
                continue
            answer = await probe.ask(executable)
            probes[executable] = answer
            if answer.schema is not None and is_name_of(answer.schema.name, name):
                is_found = True
                break
        if not is_found:
            return None
    # In the order in which the folders were looked into, by which the tools of a name are chosen.
    return {executable: probes[executable] for executable in executables if executable in probes}


def _may_have_name(executable: Executable, known: Probe | None, name: str) -> bool:
    """May this be the tool of that name, by what it said of itself or else by its file?"""
    if known is not None and known.schema is not None:
        return is_name_of(known.schema.name, name)
    return any(is_name_of(form, name) for form in name_forms(executable.path))


def _list_folder(folder: Folder, store: TrustStore) -> tuple[list[Executable], list[Skipped]]:
    """The executables that may be asked, and what is passed over without asking."""
    executables, refused = executables_in(folder)
    skipped = [Skipped(path, reason, folder.origin) for path, reason in refused.items()]
    if folder.origin != "project" or not executables:
        return executables, skipped
    judged = store.judge(folder.path)
    if judged.copy is None:
        for executable in executables:
            skipped.append(Skipped(executable.path, judged.distrust, folder.origin, "untrusted"))
        return [], skipped
    copies = []
    for executable in executables:
        copies.append(replace(executable, copy=judged.copy / executable.path.name))
    return copies, skipped


def _choose_by_name(
    probes: Mapping[Executable, Probe], skipped: list[Skipped]
) -> dict[str, HostedTool]:
    """One tool per name: the last folder's, and in one folder the first by file name. What is not
    chosen is added to `skipped`.
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
