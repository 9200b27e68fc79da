"""What the library does most: a query or a URL comes in, or many of them, and typed answers go out.

Everything here works on a toolkit that somebody else has opened, so that the sync functions, their
async twins and the methods of `Quarry` are one thing. Of many inputs each has its answer or its
error, in the order of the inputs: one page that cannot be read costs nobody but itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from webquarry.errors import BadInput, WebquarryError
from webquarry.progress import listening
from webquarry.secret import redact
from webquarry.tool import Answer
from webquarry.tools import load

if TYPE_CHECKING:  # a tool is imported when it is called
    from webquarry.evidence.citation import CitationStyle
    from webquarry.surfaces.cite_output import CiteOutput
    from webquarry.toolkit import Toolkit
    from webquarry.tools.research._search import SearchOutput
    from webquarry.tools.research.scrape_page import ScrapeOutput

T = TypeVar("T")
AT_ONCE = 8  # inputs of a batch that are worked on at once; hosts are paced besides
_SET = "research"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallProgress:
    """How far a call is: `done` of `total` inputs. `message` says what happens to `item`, which is
    one of them, or the tool where there is only one.
    """

    message: str
    item: str
    done: int
    total: int


OnProgress = Callable[[CallProgress], None]


class ProgressReport:
    """The way to a user's callback, whose errors are logged and harm no call."""

    def __init__(self, on_progress: OnProgress | None, total: int = 1) -> None:
        self._on_progress = on_progress
        self._total = total
        self._done = 0

    async def follow(self, item: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work for an item, and report what it notes on the way and how it ended."""
        if self._on_progress is None:  # whoever listens further out goes on listening
            return await work()
        with listening(lambda message: self._tell(message, item)):
            try:
                answer = await work()
            except WebquarryError as error:
                self._done += 1
                self._tell(f"failed: {error.message}", item)
                raise
        self._done += 1
        self._tell("done", item)
        return answer

    def _tell(self, message: str, item: str) -> None:
        if self._on_progress is None:
            return
        try:
            self._on_progress(CallProgress(message, item, self._done, self._total))
        except Exception:
            log.warning("on_progress raised an error and is not called again", exc_info=True)
            self._on_progress = None


async def call_tool(
    kit: Toolkit,
    name: str,
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None,
    item: str,
) -> Answer:
    """The answer of a research tool for one input."""
    tool = load(_SET, name)
    return await ProgressReport(on_progress).follow(item, lambda: tool.call_and_log(kit, arguments))


async def search(
    kit: Toolkit, query: str, options: Mapping[str, Any], on_progress: OnProgress | None = None
) -> SearchOutput:
    """Search the web with the options of `web_search`."""
    arguments = {**options, "query": query}
    answer = await call_tool(kit, "web_search", arguments, on_progress, query)
    return cast("SearchOutput", answer)


async def read(
    kit: Toolkit, url: str, options: Mapping[str, Any], on_progress: OnProgress | None = None
) -> ScrapeOutput:
    """Read a page with the options of `scrape_page`."""
    answer = await call_tool(kit, "scrape_page", {**options, "url": url}, on_progress, url)
    return cast("ScrapeOutput", answer)


async def cite(
    kit: Toolkit, url: str, style: CitationStyle, on_progress: OnProgress | None = None
) -> CiteOutput:
    """Read a page and give the reference to it."""
    from webquarry.surfaces.cite_output import CiteOutput

    page = await read(kit, url, {"citation_style": style, "mode": "preview"}, on_progress)
    return CiteOutput.of(page, style)


async def search_all(
    kit: Toolkit,
    queries: Iterable[str],
    options: Mapping[str, Any],
    at_once: int,
    on_progress: OnProgress | None,
) -> list[SearchOutput | WebquarryError]:
    """An answer or an error for each query."""
    return await _do_all(
        lambda query: search(kit, query, options), queries, "queries", at_once, on_progress
    )


async def read_all(
    kit: Toolkit,
    urls: Iterable[str],
    options: Mapping[str, Any],
    at_once: int,
    on_progress: OnProgress | None,
) -> list[ScrapeOutput | WebquarryError]:
    """An answer or an error for each URL."""
    return await _do_all(lambda url: read(kit, url, options), urls, "URLs", at_once, on_progress)


async def _do_all(
    work: Callable[[str], Awaitable[T]],
    inputs: Iterable[str],
    noun: str,
    at_once: int,
    on_progress: OnProgress | None,
) -> list[T | WebquarryError]:
    """Work on all inputs, so many at once; what came of each, in their order."""
    if isinstance(inputs, str | bytes):
        raise BadInput(
            f"One text was given where a list of {noun} goes.",
            suggested_action=f"Give a list of {noun}, or use the function for one of them.",
        )
    if at_once < 1:
        raise BadInput(f"at_once is {at_once}.", suggested_action="Give 1 or more.")
    items = list(inputs)
    places = asyncio.Semaphore(at_once)
    report = ProgressReport(on_progress, len(items))

    async def do_one(item: str) -> T | WebquarryError:
        async with places:
            try:
                return await report.follow(item, lambda: _without_surprise(work, item))
            except WebquarryError as error:
                return error

    return list(await asyncio.gather(*map(do_one, items)))


async def _without_surprise(work: Callable[[str], Awaitable[T]], item: str) -> T:
    """The work, whose unforeseen errors are ours too, so that they cost one input and not all."""
    try:
        return await work(item)
    except WebquarryError:
        raise
    except Exception as error:
        log.debug("unforeseen", exc_info=True)
        reason = redact(f"{type(error).__name__}: {error}")
        raise WebquarryError(f"Something unforeseen happened ({reason}).") from error
