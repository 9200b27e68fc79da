"""webquarry: real and verifiable sources from the web, behind every door you already have open.

    found = webquarry.search("tidal energy storage")    # sync, also in a running loop
    page = webquarry.read(found.urls[0])                # `read_async` is its async twin
    pages = webquarry.read_all(found.urls)              # for each its page or its error
    print(webquarry.cite(found.urls[0], style="bibtex").text)

    answer = webquarry.call("web_fetch", url="https://example.org")  # any tool by its name
    async with webquarry.open() as quarry:                           # async; every tool is a method
        page = await quarry.web_fetch(url="https://example.org")

The public names are looked up when they are first used, so that `import webquarry` costs next to
nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # importing typing for it would cost a third of a `--schema` call
if TYPE_CHECKING:
    from webquarry import batch, sql
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
    from webquarry.surfaces.cite_output import CiteOutput
    from webquarry.surfaces.library_types import (
        Quarry,
        call,
        call_with,
        cite,
        cite_async,
        open,
        read,
        read_all,
        read_all_async,
        read_async,
        search,
        search_all,
        search_all_async,
        search_async,
    )
    from webquarry.surfaces.lookups import CallProgress
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
    "cite",
    "cite_async",
    "open",
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

# Where a name is; what is not listed is one of the library's functions, or an error class if it
# begins with a capital.
_HOMES = {
    "Answer": "webquarry.tool",
    "CallProgress": "webquarry.surfaces.lookups",
    "CiteOutput": "webquarry.surfaces.cite_output",
    "Quarry": "webquarry.surfaces.library",
    "ScrapeOutput": "webquarry.tools.research.scrape_page",
    "SearchOutput": "webquarry.tools.research._search",
    "SearchResult": "webquarry.tools.research._search",
    "Settings": "webquarry.settings",
    "ToolHost": "webquarry.host.host",
}

_PACKAGES = ("batch", "read", "search", "sql")  # "read" and "search" can be called

if not TYPE_CHECKING:  # a type checker takes it for a promise that every name is there

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        if name in _PACKAGES:
            return importlib.import_module(f"webquarry.{name}")
        home = "webquarry.errors" if name[0].isupper() else "webquarry.surfaces.library"
        value = getattr(importlib.import_module(_HOMES.get(name, home)), name)
        globals()[name] = value
        return value


def load_ipython_extension(shell: object) -> None:
    """`%load_ext webquarry` in a notebook: see docs/notebooks.md."""
    import importlib

    importlib.import_module("webquarry.surfaces.notebook.extension").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext webquarry`."""
    import importlib

    importlib.import_module("webquarry.surfaces.notebook.extension").unload(shell)


def __dir__() -> list[str]:
    """The public names, and what every module has."""
    own = [name for name in globals() if name.startswith("__") and name.endswith("__")]
    return sorted({*own, *__all__})
