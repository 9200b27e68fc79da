"""webquarry: real and verifiable sources from the web, behind every door you already have open.

    answer = webquarry.call("web_fetch", url="https://example.org")  # sync, also in a running loop
    async with webquarry.open() as quarry:                           # async; every tool is a method
        page = await quarry.web_fetch(url="https://example.org")

The public names are looked up when they are first used, so that `import webquarry` costs next to
nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # importing typing for it would cost a third of a `--schema` call
if TYPE_CHECKING:
    from typing import Any

    from webquarry.errors import (
        AuthFailure,
        BadInput,
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
    from webquarry.surfaces.library import call, open

__all__ = [
    "AuthFailure",
    "BadInput",
    "Cancelled",
    "Challenge",
    "LimitReached",
    "LoginWall",
    "MissingExtra",
    "NetworkFailure",
    "NoSlot",
    "NotFound",
    "NotRecorded",
    "ProviderFailure",
    "RateLimited",
    "RecordsFailure",
    "Refused",
    "RobotsRefused",
    "ScriptPage",
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
    "call",
    "open",
]

# Whatever is not listed here is an error class.
_HOMES = {
    "Settings": "webquarry.settings",
    "ToolHost": "webquarry.host.host",
    "call": "webquarry.surfaces.library",
    "open": "webquarry.surfaces.library",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_HOMES.get(name, "webquarry.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
