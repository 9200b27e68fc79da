"""webquarry: search, read, cite and verify web sources.

    found = webquarry.search("tidal energy storage")    # sync, also inside a running event loop
    page = webquarry.read(found.urls[0])                # `read_async` is the async version
    pages = webquarry.read_all(found.urls)              # a page or an error for each URL
    print(webquarry.cite(found.urls[0], style="bibtex").text)
    papers = webquarry.papers("vanadium flow battery")
    print(webquarry.check(Path("report.md")).headline)  # quotes, numbers and references

    answer = webquarry.call("web_fetch", url="https://example.org")  # any tool by name
    async with webquarry.open() as quarry:                           # every tool as async method
        page = await quarry.web_fetch(url="https://example.org")

Public names are imported on first use, so that `import webquarry` is cheap.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # importing typing takes a third of a `--schema` call
if TYPE_CHECKING:
    from webquarry import batch, sql
    from webquarry.api import CallProgress, CiteOutput
    from webquarry.api_types import (
        Quarry,
        call,
        call_with,
        check,
        check_async,
        cite,
        cite_async,
        open,
        papers,
        papers_async,
        read,
        read_all,
        read_all_async,
        read_async,
        search,
        search_all,
        search_all_async,
        search_async,
    )
    from webquarry.errors import (
        AuthFailure,
        BadInput,
        BadSetting,
        Cancelled,
        Challenge,
        LimitReached,
        LoginWall,
        MissingExtra,
        NetworkFailure,
        NoSlot,
        NotFound,
        NotRecorded,
        ProviderFailure,
        RateLimited,
        RecordsFailure,
        Refused,
        RobotsRefused,
        ScriptPage,
        SiteRefused,
        ThinPage,
        TooComplex,
        TooLarge,
        ToolFailure,
        Unreadable,
        WebquarryError,
    )
    from webquarry.host.host import ToolHost
    from webquarry.settings import Settings
    from webquarry.tool import Answer
    from webquarry.tools.research._search import SearchOutput, SearchResult
    from webquarry.tools.research.scrape_page import ScrapeOutput

__all__ = [
    "Answer",
    "AuthFailure",
    "BadInput",
    "BadSetting",
    "CallProgress",
    "Cancelled",
    "Challenge",
    "CiteOutput",
    "LimitReached",
    "LoginWall",
    "MissingExtra",
    "NetworkFailure",
    "NoSlot",
    "NotFound",
    "NotRecorded",
    "ProviderFailure",
    "Quarry",
    "RateLimited",
    "RecordsFailure",
    "Refused",
    "RobotsRefused",
    "ScrapeOutput",
    "ScriptPage",
    "SearchOutput",
    "SearchResult",
    "Settings",
    "SiteRefused",
    "ThinPage",
    "TooComplex",
    "TooLarge",
    "ToolFailure",
    "ToolHost",
    "Unreadable",
    "WebquarryError",
    "__version__",
    "batch",
    "call",
    "call_with",
    "check",
    "check_async",
    "cite",
    "cite_async",
    "open",
    "papers",
    "papers_async",
    "read",
    "read_all",
    "read_all_async",
    "read_async",
    "search",
    "search_all",
    "search_all_async",
    "search_async",
    "sql",
]

# The modules of public names. Other names are functions of the library, or error classes if they
# start with a capital.
_NAME_MODULES = {
    "Answer": "webquarry.tool",
    "CallProgress": "webquarry.api",
    "CiteOutput": "webquarry.api",
    "Quarry": "webquarry.api",
    "ScrapeOutput": "webquarry.tools.research.scrape_page",
    "SearchOutput": "webquarry.tools.research._search",
    "SearchResult": "webquarry.tools.research._search",
    "Settings": "webquarry.settings",
    "ToolHost": "webquarry.host.host",
}

_MODULES = ("batch", "errors", "sql")

if not TYPE_CHECKING:  # type checkers would accept any attribute

    def __getattr__(name: str) -> object:
        import importlib

        if name in _MODULES:
            return importlib.import_module(f"webquarry.{name}")
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = "webquarry.errors" if name[0].isupper() else "webquarry.api"
        value = getattr(importlib.import_module(_NAME_MODULES.get(name, module)), name)
        globals()[name] = value
        return value


def load_ipython_extension(shell: object) -> None:
    """Called by `%load_ext webquarry`; see docs/notebooks.md."""
    import importlib

    importlib.import_module("webquarry.notebook.magics").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Called by `%unload_ext webquarry`."""
    import importlib

    importlib.import_module("webquarry.notebook.magics").unload(shell)


def __dir__() -> list[str]:
    """List the public names and the attributes of every module."""
    own = [name for name in globals() if name.startswith("__") and name.endswith("__")]
    return sorted({*own, *__all__})
