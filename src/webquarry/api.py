"""The Python library: tools by name with typed answers, sync and async.

`call`, `search`, `read`, `cite`, `papers`, `check` and their async versions share one toolkit per
process, and with it pacing and connections. `open` creates a toolkit of its own. Type checkers read
`api_types.pyi`, which is generated from the signatures of the tools.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
import os
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry import tools
from webquarry._read.workers.job import RunnerKind
from webquarry.bridge import bridge
from webquarry.errors import BadInput, WebquarryError
from webquarry.evidence.models import TRUST, Citation, CitationStyle, RetractionStatus, fixed
from webquarry.progress import CellProgress, is_in_kernel, listening
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.tool import Answer, Tool
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.draft_check import CheckOutput
    from webquarry.tools.research._search import SearchOutput
    from webquarry.tools.research.academic_search import PapersOutput
    from webquarry.tools.research.scrape_page import ScrapeOutput

T = TypeVar("T")
AT_ONCE = 8  # concurrent inputs of a batch; hosts are paced as well
_DEFAULT_SETS = ("research", "executables")  # in the order of the search for a tool

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallProgress:
    """Progress of a call: `done` of `total` inputs, and what happens to `item`, one of the inputs
    or the tool.
    """

    message: str
    item: str
    done: int
    total: int


OnProgress = Callable[[CallProgress], None]


class ProgressReport:
    """Calls a user's callback; its first exception is logged and ends the report."""

    def __init__(self, on_progress: OnProgress | None, total: int = 1) -> None:
        self._on_progress = on_progress
        self._total = total
        self._done = 0

    async def follow(self, item: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work for an item, and report its notes and its end."""
        if self._on_progress is None:  # keeps the listener of an outer call
            return await work()
        with listening(lambda message: self._report(message, item)):
            try:
                answer = await work()
            except WebquarryError as error:
                self._done += 1
                self._report(f"failed: {error.message}", item)
                raise
        self._done += 1
        self._report("done", item)
        return answer

    def _report(self, message: str, item: str) -> None:
        if self._on_progress is None:
            return
        try:
            self._on_progress(CallProgress(message, item, self._done, self._total))
        except Exception:
            log.warning("on_progress raised an error and is not called again", exc_info=True)
            self._on_progress = None


class CiteOutput(Answer, kw_only=True):
    """The reference to a page as text, and its facts; facts that the page does not state are
    absent.
    """

    url: str
    style: CitationStyle
    text: str
    title: str
    author: str | None = None
    site: str | None = None
    published: str | None = None
    accessed: str
    doi: str | None = None
    retraction_status: RetractionStatus | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, page: ScrapeOutput, style: CitationStyle) -> CiteOutput:
        """Return the reference to a page that was read with this style."""
        from webquarry.evidence.citation import NO_DATE

        facts = page.citation.metadata
        answer = cls(
            url=page.citation.url,
            style=style,
            text=write_reference(page.citation),
            title=facts.title,
            author=facts.author or None,
            site=facts.site or None,
            published=facts.date if facts.date != NO_DATE else None,
            accessed=page.citation.accessed_date,
            doi=page.detected_doi,
            retraction_status=page.retraction_status,
        )
        answer.set_meta(page.meta)
        return answer


def write_reference(citation: Citation) -> str:
    """Return the reference in the requested style."""
    (reference,) = citation.formatted.as_dict().values()
    if isinstance(reference, str):
        return reference
    return json.dumps(reference, ensure_ascii=False, indent=2)


def call(
    name: str,
    /,
    *,
    toolset: str | None = None,
    on_progress: OnProgress | None = None,
    **arguments: Any,
) -> Answer:
    """Call a tool and return its answer. Works in any thread and inside a running event loop.

    Without `toolset` the default sets are searched. `on_progress` is called from another thread.
    Raises `WebquarryError`.
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
    """`call` with the arguments as a mapping. A command that calls once uses the runner `fork`."""
    tool = find_tool(name, toolset)
    report = ProgressReport(on_progress)

    async def run() -> Answer:
        async with _share_toolkit(runner) as kit:
            return await report.follow(name, lambda: tool.call_and_log(kit, arguments))

    return bridge.run(run())


class Quarry:
    """Every tool as an async method, `await quarry.web_fetch(url="https://example.org")`, and
    `search`, `read`, `cite`, `papers` and `check`.
    """

    def __init__(self, kit: Toolkit, toolset: str | None = None) -> None:
        self._kit = kit
        self._toolset = toolset

    async def search(
        self, query: str, /, *, on_progress: OnProgress | None = None, **options: Any
    ) -> SearchOutput:
        """Search the web; the options are those of the tool `web_search`."""
        answer: Any = await self._call("web_search", {**options, "query": query}, on_progress)
        return answer  # type: ignore[no-any-return]

    async def read(
        self, url: str, /, *, on_progress: OnProgress | None = None, **options: Any
    ) -> ScrapeOutput:
        """Read a page as Markdown, with its citation; the options are those of `scrape_page`."""
        answer: Any = await self._call("scrape_page", {**options, "url": url}, on_progress)
        return answer  # type: ignore[no-any-return]

    async def cite(
        self, url: str, /, *, style: CitationStyle = "apa", on_progress: OnProgress | None = None
    ) -> CiteOutput:
        """Read a page and return the reference to it."""
        page = await self.read(url, citation_style=style, mode="preview", on_progress=on_progress)
        return CiteOutput.of(page, style)

    async def papers(
        self, query: str, /, *, on_progress: OnProgress | None = None, **options: Any
    ) -> PapersOutput:
        """Search scholarly papers; the options are those of the tool `academic_search`."""
        answer: Any = await self._call("academic_search", {**options, "query": query}, on_progress)
        return answer  # type: ignore[no-any-return]

    async def check(
        self,
        draft: str | Path,
        /,
        *,
        sources: Sequence[str] = (),
        session: str | None = None,
        fail_on: str | None = None,
        references: bool = True,
        on_progress: OnProgress | None = None,
    ) -> CheckOutput:
        """Check the quotes, numbers and references of a draft: Markdown text, or the path of a
        file. `sources` are URLs and files beside the pages that the draft cites.
        """
        from webquarry.draft_check import DEFAULT_FAIL_ON, check_drafts, read_draft

        name = str(draft) if isinstance(draft, Path) else "draft.md"

        async def work() -> CheckOutput:
            report = await check_drafts(
                self._kit,
                {name: read_draft(draft)},
                session=session,
                sources=sources,
                fail_on=DEFAULT_FAIL_ON if fail_on is None else fail_on,
                references=references,
            )
            return report.as_answer()

        return await ProgressReport(on_progress).follow(name, work)

    async def search_all(
        self,
        queries: Iterable[str],
        /,
        *,
        at_once: int = AT_ONCE,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> list[SearchOutput | WebquarryError]:
        """Search for many queries concurrently; return an answer or an error for each, in order."""

        def search(query: str) -> Awaitable[SearchOutput]:
            return self.search(query, **options)

        return await _do_all(search, queries, "queries", at_once, on_progress)

    async def read_all(
        self,
        urls: Iterable[str],
        /,
        *,
        at_once: int = AT_ONCE,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> list[ScrapeOutput | WebquarryError]:
        """Read many pages concurrently; return a page or an error for each, in order."""

        def read(url: str) -> Awaitable[ScrapeOutput]:
            return self.read(url, **options)

        return await _do_all(read, urls, "URLs", at_once, on_progress)

    async def _call(
        self, name: str, arguments: Mapping[str, Any], on_progress: OnProgress | None
    ) -> Answer:
        tool = tools.load("research", name)
        item = arguments["url" if name == "scrape_page" else "query"]
        report = ProgressReport(on_progress)
        return await report.follow(item, lambda: tool.call_and_log(self._kit, arguments))

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Answer]]:
        """Return a tool as a method with its own signature; created on first use."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            tool = find_tool(name, self._toolset)
        except BadInput as error:
            raise AttributeError(error.sentences) from None

        @functools.wraps(tool.function)
        async def method(*, on_progress: OnProgress | None = None, **arguments: Any) -> Answer:
            report = ProgressReport(on_progress)
            return await report.follow(name, lambda: tool.call_and_log(self._kit, arguments))

        signature = inspect.signature(tool.function)
        _, *parameters = signature.parameters.values()  # without the toolkit
        named = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]
        method.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        self.__dict__[name] = method
        return method

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *tool_names(self._toolset)})


@asynccontextmanager
async def open(
    settings: Settings | None = None,
    *,
    toolset: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Quarry]:
    """Open the tools as async methods; the context closes their client."""
    async with Toolkit.open(settings, environ, runner="workers") as kit:
        yield Quarry(kit, toolset)


def _publish(
    method: Callable[..., Coroutine[Any, Any, T]],
) -> tuple[Callable[..., T], Callable[..., Coroutine[Any, Any, T]]]:
    """Return a method of `Quarry` as a sync and an async function on the shared toolkit.

    Batches show their progress below the cell of a notebook.
    """
    name = method.__name__
    is_batch = name.endswith("_all")
    signature = inspect.signature(method)
    _, *parameters = signature.parameters.values()

    def adopt(function: Any, function_name: str) -> Any:
        functools.update_wrapper(function, method)
        function.__name__ = function.__qualname__ = function_name
        function.__signature__ = signature.replace(parameters=parameters)
        return function

    async def run(arguments: Any, options: Any) -> T:
        async with _share_toolkit() as kit:
            return await method(Quarry(kit), *arguments, **options)

    def sync(*arguments: Any, on_progress: OnProgress | None = None, **options: Any) -> T:
        with _follow_in_cell(on_progress, is_batch) as callback:
            return bridge.run(run(arguments, {**options, "on_progress": callback}))

    async def twin(*arguments: Any, on_progress: OnProgress | None = None, **options: Any) -> T:
        callback = on_progress
        if on_progress is not None:  # called on the loop of the caller
            loop: Any = asyncio.get_running_loop()
            callback = functools.partial(loop.call_soon_threadsafe, on_progress)
        with _follow_in_cell(callback, is_batch) as callback:
            return await bridge.run_async(run(arguments, {**options, "on_progress": callback}))

    return adopt(sync, name), adopt(twin, f"{name}_async")


search, search_async = _publish(Quarry.search)
read, read_async = _publish(Quarry.read)
cite, cite_async = _publish(Quarry.cite)
papers, papers_async = _publish(Quarry.papers)
check, check_async = _publish(Quarry.check)
search_all, search_all_async = _publish(Quarry.search_all)
read_all, read_all_async = _publish(Quarry.read_all)


@contextmanager
def _follow_in_cell(on_progress: OnProgress | None, is_batch: bool) -> Iterator[OnProgress | None]:
    """Return the callback, or one for the cell of a notebook if there is none."""
    if on_progress is not None or not is_batch or not is_in_kernel():
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


async def _do_all(
    work: Callable[[str], Awaitable[T]],
    inputs: Iterable[str],
    noun: str,
    at_once: int,
    on_progress: OnProgress | None,
) -> list[T | WebquarryError]:
    """Return the result or the error of each input, in order."""
    if isinstance(inputs, str | bytes):
        raise BadInput(
            f"A single text was given instead of a list of {noun}.",
            suggested_action=f"Give a list of {noun}, or use the function for one of them.",
        )
    if at_once < 1:
        raise BadInput(f"at_once is {at_once}.", suggested_action="Give 1 or more.")
    items = list(inputs)
    slots = asyncio.Semaphore(at_once)
    report = ProgressReport(on_progress, len(items))

    async def do_one(item: str) -> T:
        try:
            return await work(item)
        except WebquarryError:
            raise
        except Exception as error:  # fails one input, not the batch
            log.debug("unexpected error", exc_info=True)
            reason = redact(f"{type(error).__name__}: {error}")
            raise WebquarryError(f"Unexpected error ({reason}).") from error

    async def catch(item: str) -> T | WebquarryError:
        async with slots:
            try:
                return await report.follow(item, lambda: do_one(item))
            except WebquarryError as error:
                return error

    return list(await asyncio.gather(*map(catch, items)))


def find_tool(name: str, toolset: str | None = None) -> Tool:
    """Return a tool of a set, or of the default sets."""
    for set_name in _DEFAULT_SETS if toolset is None else (toolset,):
        if name in tools.tool_names(set_name):
            return tools.load(set_name, name)
    raise BadInput(
        f"There is no tool {name!r}.",
        suggested_action=f"Use one of: {', '.join(tool_names(toolset))}.",
    )


def tool_names(toolset: str | None = None) -> list[str]:
    """Return the names of the tools of a set, or of the default sets, without importing them."""
    sets = _DEFAULT_SETS if toolset is None else (toolset,)
    return list(dict.fromkeys(name for one in sets for name in tools.tool_names(one)))


class _SharedToolkit:
    """The toolkit behind `call`, replaced when the environment changes.

    It is used on the loop of the bridge only and needs no lock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, runner: RunnerKind) -> None:
        self.loop = loop
        self.runner = runner
        self.environ = dict(os.environ)
        settings = Settings.from_environment(self.environ)
        self.kit = Toolkit(settings, self.environ, runner=runner)
        self.users = 0


_current: _SharedToolkit | None = None


@asynccontextmanager
async def _share_toolkit(runner: RunnerKind = "workers") -> AsyncIterator[Toolkit]:
    """Return the shared toolkit; its last user closes one that was replaced."""
    global _current
    loop = asyncio.get_running_loop()
    shared = previous = None
    if _current and _current.loop is loop:  # not after a fork
        previous = _current
        if previous.runner == runner and previous.environ == dict(os.environ):
            shared = previous
    if shared is None:
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
    shared, _current = _current, None
    if shared is not None:
        await shared.kit.aclose()
