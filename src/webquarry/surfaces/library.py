"""The Python library. A tool's name and its arguments come in, its typed answer goes out.

`call` is sync and shares one toolkit for the whole process, so that pacing and connections are
shared too; `open` is async and owns the toolkit it gives. Both reach the tools through the registry
and know none by name.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from webquarry.errors import BadInput
from webquarry.read.workers.runner import RunnerKind
from webquarry.registry import module_names
from webquarry.settings import Settings
from webquarry.surfaces.bridge import bridge
from webquarry.tool import Answer, Tool, load
from webquarry.toolkit import Toolkit

_TOOLS = "webquarry.tools"
_DEFAULT_SETS = ("research", "executables")  # the second one for tools that the first one has not


def call(name: str, /, *, toolset: str | None = None, **arguments: Any) -> Answer:
    """Call a tool and wait for its answer. Works in any thread, also where an event loop is
    running.

    Without `toolset` the tool is looked for in the default sets. Every failure is a
    `WebquarryError`.
    """
    return call_with(name, arguments, toolset)


def call_with(
    name: str,
    arguments: Mapping[str, Any],
    toolset: str | None = None,
    runner: RunnerKind = "workers",
) -> Answer:
    """The same with the arguments as a mapping, for surfaces that have them so. A command that
    calls once and ends reads pages in copies of itself (`fork`).
    """
    tool = find_tool(name, toolset)

    async def run() -> Answer:
        async with _share_toolkit(runner) as kit:
            return await tool.call(kit, arguments)

    return bridge.run(run())


@asynccontextmanager
async def open(
    settings: Settings | None = None,
    *,
    toolset: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Quarry]:
    """The tools as async methods, with one client for all of them, closed by the context."""
    async with Toolkit.open(settings, environ, runner="workers") as kit:
        yield Quarry(kit, toolset)


class Quarry:
    """Every tool of the registry as a method:
    `await quarry.web_fetch(url="https://example.org")`.
    """

    def __init__(self, kit: Toolkit, toolset: str | None = None) -> None:
        self._kit = kit
        self._toolset = toolset

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Answer]]:
        """A tool as a method; it is made when it is first asked for, and kept."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            tool = find_tool(name, self._toolset)
        except BadInput as error:
            raise AttributeError(error.sentences) from None
        method = self._bind(tool)
        self.__dict__[name] = method
        return method

    def _bind(self, tool: Tool) -> Callable[..., Awaitable[Answer]]:
        """The tool as a method, with its own signature but for the toolkit."""
        signature = inspect.signature(tool.function)
        parameters = list(signature.parameters.values())[1:]
        keyword_only = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]

        @functools.wraps(tool.function)
        async def method(**arguments: Any) -> Answer:
            return await tool.call(self._kit, arguments)

        method.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=keyword_only
        )
        return method

    def __dir__(self) -> list[str]:
        names = set(super().__dir__())
        names.update(tool_names(self._toolset))
        return sorted(names)


def find_tool(name: str, toolset: str | None = None) -> Tool:
    """A tool by name, in one set or in the default ones."""
    for set_name in _sets_to_search(toolset):
        if name in module_names(f"{_TOOLS}.{set_name}"):
            return load(set_name, name)
    raise BadInput(
        f"There is no tool {name!r}.",
        suggested_action=f"Use one of: {', '.join(tool_names(toolset))}.",
    )


def tool_names(toolset: str | None = None) -> list[str]:
    """The names of the tools in a set, or in the default ones; none of them is imported."""
    names: dict[str, None] = {}  # a set that keeps its order
    for set_name in _sets_to_search(toolset):
        names.update(dict.fromkeys(module_names(f"{_TOOLS}.{set_name}")))
    return list(names)


def _sets_to_search(toolset: str | None) -> list[str]:
    known = module_names(_TOOLS)
    if toolset is None:
        return [name for name in _DEFAULT_SETS if name in known]
    if toolset not in known:
        raise BadInput(
            f"There is no tool set {toolset!r}.",
            suggested_action=f"Use one of: {', '.join(known)}.",
        )
    return [toolset]


class _SharedToolkit:
    """The toolkit behind `call`: one for the process, replaced when the environment has changed.

    It is used on the bridge's loop only, so it needs no lock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, runner: RunnerKind) -> None:
        self.loop = loop
        self.runner = runner
        self.environ = dict(os.environ)
        settings = Settings.from_environment(self.environ)
        self.kit = Toolkit(settings, self.environ, runner=runner)
        self.users = 0

    def fits(self, runner: RunnerKind) -> bool:
        """Whether it is what would be opened now."""
        return self.runner == runner and self.environ == dict(os.environ)


_current: _SharedToolkit | None = None


@asynccontextmanager
async def _share_toolkit(runner: RunnerKind = "workers") -> AsyncIterator[Toolkit]:
    """The shared toolkit; one that was replaced is closed by its last user."""
    global _current
    loop = asyncio.get_running_loop()
    previous = None  # after a fork the loop is another
    if _current and _current.loop is loop:
        previous = _current
    if previous and previous.fits(runner):
        shared = previous
    else:
        shared = _current = _SharedToolkit(loop, runner)
        if previous is None:
            bridge.at_close(_close_shared_toolkit)
    shared.users += 1
    try:
        if previous and previous is not shared and previous.users == 0:
            await previous.kit.aclose()
        yield shared.kit
    finally:
        shared.users -= 1
        if shared.users == 0 and shared is not _current:
            await shared.kit.aclose()


async def _close_shared_toolkit() -> None:
    global _current
    shared = _current
    _current = None
    if shared is not None:
        await shared.kit.aclose()
