"""The Python library. A tool's name and its arguments come in, its typed answer goes out.

`call`, `search`, `read`, `cite` and their async twins share one toolkit for the whole process, so
that pacing and connections are shared too; `open` is async and owns the toolkit it gives. Tools are
reached through the registry.

What a type checker sees is `library_types.pyi`, which is generated from the signatures of the
tools: there every tool has its own arguments and its own answer.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry import tools
from webquarry._read.workers.job import RunnerKind
from webquarry.errors import BadInput, WebquarryError
from webquarry.settings import Settings
from webquarry.surfaces import lookups
from webquarry.surfaces.bridge import bridge
from webquarry.surfaces.cell_progress import CellProgress, is_in_kernel
from webquarry.surfaces.lookups import AT_ONCE, CallProgress, OnProgress, ProgressReport
from webquarry.tool import Answer, Tool
from webquarry.toolkit import Toolkit
from webquarry.tools import load

if TYPE_CHECKING:
    from webquarry.evidence.citation import CitationStyle
    from webquarry.surfaces.cite_output import CiteOutput
    from webquarry.tools.research._search import SearchOutput
    from webquarry.tools.research.scrape_page import ScrapeOutput

T = TypeVar("T")
_DEFAULT_SETS = ("research", "executables")  # the second one for tools that the first one has not


def call(
    name: str,
    /,
    *,
    toolset: str | None = None,
    on_progress: OnProgress | None = None,
    **arguments: Any,
) -> Answer:
    """Call a tool and wait for its answer. Works in any thread, also where an event loop is
    running.

    Without `toolset` the tool is looked for in the default sets. `on_progress` is told what is
    being done, from another thread. Every failure is a `WebquarryError`.
    """
    return call_with(name, arguments, toolset, on_progress=on_progress)


def call_with(
    name: str,
    arguments: Mapping[str, Any],
    toolset: str | None = None,
    runner: RunnerKind = "workers",
    *,
    on_progress: OnProgress | None = None,
) -> Answer:
    """The same with the arguments as a mapping, for programs that have them so. A command that
    calls once and ends reads pages in copies of itself (`fork`).
    """
    tool = find_tool(name, toolset)
    report = ProgressReport(on_progress)

    async def run() -> Answer:
        async with _share_toolkit(runner) as kit:
            return await report.follow(name, lambda: tool.call_and_log(kit, arguments))

    return bridge.run(run())


def search(query: str, /, *, on_progress: OnProgress | None = None, **options: Any) -> SearchOutput:
    """Search the web and wait for the results; the options are those of the tool `web_search`."""
    return bridge.run(_with_kit(lambda kit: lookups.search(kit, query, options, on_progress)))


async def search_async(
    query: str, /, *, on_progress: OnProgress | None = None, **options: Any
) -> SearchOutput:
    """`search` for a running loop. `on_progress` is called there."""
    hear = _call_here(on_progress)
    return await bridge.run_async(_with_kit(lambda kit: lookups.search(kit, query, options, hear)))


def read(url: str, /, *, on_progress: OnProgress | None = None, **options: Any) -> ScrapeOutput:
    """Read a page as Markdown, with its citation; the options are those of the tool
    `scrape_page`.
    """
    return bridge.run(_with_kit(lambda kit: lookups.read(kit, url, options, on_progress)))


async def read_async(
    url: str, /, *, on_progress: OnProgress | None = None, **options: Any
) -> ScrapeOutput:
    """`read` for a running loop. `on_progress` is called there."""
    hear = _call_here(on_progress)
    return await bridge.run_async(_with_kit(lambda kit: lookups.read(kit, url, options, hear)))


def cite(
    url: str, /, *, style: CitationStyle = "apa", on_progress: OnProgress | None = None
) -> CiteOutput:
    """Read a page and give the reference to it."""
    return bridge.run(_with_kit(lambda kit: lookups.cite(kit, url, style, on_progress)))


async def cite_async(
    url: str, /, *, style: CitationStyle = "apa", on_progress: OnProgress | None = None
) -> CiteOutput:
    """`cite` for a running loop. `on_progress` is called there."""
    hear = _call_here(on_progress)
    return await bridge.run_async(_with_kit(lambda kit: lookups.cite(kit, url, style, hear)))


def search_all(
    queries: Iterable[str],
    /,
    *,
    at_once: int = AT_ONCE,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> list[SearchOutput | WebquarryError]:
    """Search for many queries, some at once: for each its answer or its error, in their order."""
    with _follow_in_cell(on_progress) as hear:
        return bridge.run(
            _with_kit(lambda kit: lookups.search_all(kit, queries, options, at_once, hear))
        )


async def search_all_async(
    queries: Iterable[str],
    /,
    *,
    at_once: int = AT_ONCE,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> list[SearchOutput | WebquarryError]:
    """`search_all` for a running loop. `on_progress` is called there."""
    with _follow_in_cell(_call_here(on_progress)) as hear:
        return await bridge.run_async(
            _with_kit(lambda kit: lookups.search_all(kit, queries, options, at_once, hear))
        )


def read_all(
    urls: Iterable[str],
    /,
    *,
    at_once: int = AT_ONCE,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> list[ScrapeOutput | WebquarryError]:
    """Read many pages, some at once: for each its answer or its error, in their order."""
    with _follow_in_cell(on_progress) as hear:
        return bridge.run(
            _with_kit(lambda kit: lookups.read_all(kit, urls, options, at_once, hear))
        )


async def read_all_async(
    urls: Iterable[str],
    /,
    *,
    at_once: int = AT_ONCE,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> list[ScrapeOutput | WebquarryError]:
    """`read_all` for a running loop. `on_progress` is called there."""
    with _follow_in_cell(_call_here(on_progress)) as hear:
        return await bridge.run_async(
            _with_kit(lambda kit: lookups.read_all(kit, urls, options, at_once, hear))
        )


async def _with_kit(work: Callable[[Toolkit], Awaitable[T]]) -> T:
    """Do the work with the toolkit that all calls share."""
    async with _share_toolkit() as kit:
        return await work(kit)


def _call_here(on_progress: OnProgress | None) -> OnProgress | None:
    """The callback, called on the loop that runs here, whichever thread has something to tell."""
    if on_progress is None:
        return None
    loop = asyncio.get_running_loop()

    def tell(progress: CallProgress) -> None:
        loop.call_soon_threadsafe(on_progress, progress)

    return tell


@contextmanager
def _follow_in_cell(on_progress: OnProgress | None) -> Iterator[OnProgress | None]:
    """The callback; where there is none and a notebook runs, one that shows the progress below the
    cell.
    """
    if on_progress is not None or not is_in_kernel():
        yield on_progress
        return
    cell = CellProgress()
    failed = 0
    counts = ""

    def show(progress: CallProgress) -> None:
        nonlocal failed, counts
        failed += progress.message.startswith("failed")
        counts = f"{progress.done:,} of {progress.total:,}, {failed:,} failed"
        line = f"{counts}: {progress.item}: {progress.message}"
        cell.show(line, progress.done, progress.total)

    try:
        yield show
    finally:
        cell.end(counts)


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
    `await quarry.web_fetch(url="https://example.org")`; and `search`, `read` and `cite`, which do
    what the functions of these names do.
    """

    def __init__(self, kit: Toolkit, toolset: str | None = None) -> None:
        self._kit = kit
        self._toolset = toolset

    async def search(
        self, query: str, /, *, on_progress: OnProgress | None = None, **options: Any
    ) -> SearchOutput:
        """Search the web; the options are those of the tool `web_search`."""
        return await lookups.search(self._kit, query, options, on_progress)

    async def read(
        self, url: str, /, *, on_progress: OnProgress | None = None, **options: Any
    ) -> ScrapeOutput:
        """Read a page as Markdown; the options are those of the tool `scrape_page`."""
        return await lookups.read(self._kit, url, options, on_progress)

    async def cite(
        self, url: str, /, *, style: CitationStyle = "apa", on_progress: OnProgress | None = None
    ) -> CiteOutput:
        """Read a page and give the reference to it."""
        return await lookups.cite(self._kit, url, style, on_progress)

    async def search_all(
        self,
        queries: Iterable[str],
        /,
        *,
        at_once: int = AT_ONCE,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> list[SearchOutput | WebquarryError]:
        """For each query its answer or its error, in their order."""
        return await lookups.search_all(self._kit, queries, options, at_once, on_progress)

    async def read_all(
        self,
        urls: Iterable[str],
        /,
        *,
        at_once: int = AT_ONCE,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> list[ScrapeOutput | WebquarryError]:
        """For each URL its page or its error, in their order."""
        return await lookups.read_all(self._kit, urls, options, at_once, on_progress)

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
        async def method(*, on_progress: OnProgress | None = None, **arguments: Any) -> Answer:
            report = ProgressReport(on_progress)
            return await report.follow(tool.name, lambda: tool.call_and_log(self._kit, arguments))

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
    for set_name in _DEFAULT_SETS if toolset is None else (toolset,):
        if name in tools.tool_names(set_name):
            return load(set_name, name)
    raise BadInput(
        f"There is no tool {name!r}.",
        suggested_action=f"Use one of: {', '.join(tool_names(toolset))}.",
    )


def tool_names(toolset: str | None = None) -> list[str]:
    """The names of the tools in a set, or in the default ones; none of them is imported."""
    names: dict[str, None] = {}  # a set that keeps its order
    for set_name in _DEFAULT_SETS if toolset is None else (toolset,):
        names.update(dict.fromkeys(tools.tool_names(set_name)))
    return list(names)


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
