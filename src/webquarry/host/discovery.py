"""Finding tools: every executable of the tool folders is asked, all in parallel, and the best of
each name is kept.

Later folders override earlier ones by the tool's name. Whatever cannot be served is skipped with
its reason, which is logged; one bad tool never keeps the others from loading. A project's folder is
not touched before it is trusted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from webquarry.host.environment import escape_unprintable
from webquarry.host.folders import Folder, executables_in, tool_folders
from webquarry.host.models import Executable, HostedTool, Skipped
from webquarry.host.probe import Probe, probe
from webquarry.host.start_limiter import StartLimiter
from webquarry.host.trust.store import TrustStore
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_ORIGINS = ("system", "user", "project")  # in the order in which they are shown


@dataclass(frozen=True)
class Discovery:
    """What was found: the tools that can be run, by name, and everything that was passed over."""

    tools: tuple[HostedTool, ...]
    skipped: tuple[Skipped, ...]


async def discover(settings: Settings, environ: Mapping[str, str]) -> Discovery:
    """Look into all folders and ask every executable there."""
    limiter = StartLimiter()
    executables: list[Executable] = []
    skipped: list[Skipped] = []
    for folder in tool_folders(settings, environ):
        found, passed_over = await asyncio.to_thread(_list_folder, folder, TrustStore.of(environ))
        executables += found
        skipped += passed_over

    async def ask(executable: Executable) -> Probe:
        async with limiter.admit() as on_start:
            return await probe(executable, environ, on_start)

    answers = await asyncio.gather(*map(ask, executables))
    tools = _choose_by_name(executables, answers, skipped)
    for one in skipped:
        level = logging.INFO if one.state == "overridden" else logging.WARNING
        path = escape_unprintable(str(one.path))
        log.log(level, "the tool %s is skipped: %s", path, one.reason)
    skipped.sort(key=lambda one: (_ORIGINS.index(one.origin), str(one.path)))
    by_name = [tools[name] for name in sorted(tools)]
    return Discovery(tuple(by_name), tuple(skipped))


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
    executables: list[Executable], probes: list[Probe], skipped: list[Skipped]
) -> dict[str, HostedTool]:
    """One tool per name: the last folder's, and in one folder the first by file name. What is not
    chosen is added to `skipped`.
    """
    tools: dict[str, HostedTool] = {}
    for executable, answer in zip(executables, probes, strict=True):
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
