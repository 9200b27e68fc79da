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
from dataclasses import dataclass
from pathlib import Path

from webquarry.host.environment import visible
from webquarry.host.folders import Folder, executables_in, tool_folders
from webquarry.host.gate import Gate
from webquarry.host.models import Executable, HostedTool, Skipped
from webquarry.host.probe import Probe, probe
from webquarry.host.trust import TrustStore
from webquarry.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Discovery:
    """What was found: the tools that can be run, by name, and everything that was passed over."""

    tools: tuple[HostedTool, ...]
    skipped: tuple[Skipped, ...]


async def discover(settings: Settings, environ: Mapping[str, str]) -> Discovery:
    """Look into all folders and ask every executable there."""
    gate, skipped = Gate(), list[Skipped]()
    executables: list[Executable] = []
    for folder in tool_folders(settings, environ):
        found, passed_over = await asyncio.to_thread(_look_into, folder, TrustStore.of(environ))
        executables += found
        skipped += passed_over
    # The project's come first: its folder was judged a moment ago, and nothing may change in
    # between.
    answers = await asyncio.gather(
        *(_ask(gate, executable, environ) for executable in reversed(executables))
    )
    probes = list(reversed(answers))
    tools = _keep_the_best(executables, probes, skipped)
    _log(skipped)
    order = {origin: index for index, origin in enumerate(("system", "user", "project"))}
    skipped.sort(key=lambda one: (order[one.origin], str(one.path)))
    return Discovery(tuple(tools[name] for name in sorted(tools)), tuple(skipped))


async def _ask(gate: Gate, executable: Executable, environ: Mapping[str, str]) -> Probe:
    async with gate.admitted() as on_start:
        return await probe(executable, environ, on_start)


def _look_into(folder: Folder, store: TrustStore) -> tuple[list[Executable], list[Skipped]]:
    """The executables that may be asked, and what is passed over without asking."""
    found, refused = executables_in(folder)
    passed_over = [Skipped(path, reason, folder.origin) for path, reason in refused.items()]
    reason = ""
    if folder.origin == "project" and found:
        reason = distrust(folder.path, store)
    if not reason:
        return found, passed_over
    return [], passed_over + [
        Skipped(one.path, reason, folder.origin, "untrusted") for one in found
    ]


def distrust(folder: Path, store: TrustStore) -> str:
    """Why the tools of a project's folder are not run; empty when they may be."""
    verdict = store.judge(folder)
    if verdict == "changed":
        return "its folder has changed since it was trusted; look at it again and run: webquarry tools trust"
    if verdict == "trusted":
        return ""
    return "its folder is not trusted; look at it and run: webquarry tools trust"


def _keep_the_best(
    executables: list[Executable], probes: list[Probe], skipped: list[Skipped]
) -> dict[str, HostedTool]:
    """One tool per name: the last folder's, and in one folder the first by file name."""
    tools: dict[str, HostedTool] = {}
    for executable, answer in zip(executables, probes, strict=True):
        if answer.schema is None:
            skipped.append(Skipped(executable.path, answer.reason, executable.origin))
            continue
        tool = HostedTool(answer.schema, executable, answer.findings)
        other = tools.get(tool.name)
        if other is not None:
            if other.origin == tool.origin:
                loser, winner = (tool, other)
            else:
                loser, winner = (other, tool)
            reason = f"the tool {tool.name} is served by {visible(str(winner.path))} instead"
            skipped.append(Skipped(loser.path, reason, loser.origin, "overridden", tool.name))
            tool = winner
        tools[tool.name] = tool
    return tools


def _log(skipped: list[Skipped]) -> None:
    for one in skipped:
        if one.state == "overridden":
            level = logging.INFO
        else:
            level = logging.WARNING
        log.log(level, "the tool %s is skipped: %s", visible(str(one.path)), one.reason)
