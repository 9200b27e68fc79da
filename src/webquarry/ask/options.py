"""What the user of one engine can turn: names and texts come in (from SQL, flags, settings), typed
values go out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from webquarry.errors import BadInput
from webquarry.settings import Settings

_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off"}
ON_ERROR = ("", "text", "column", "fail")


def _switch(text: str) -> bool:
    if text.lower() not in _YES | _NO:
        raise ValueError("on or off")
    return text.lower() in _YES


def _count(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ValueError(f"a whole number from {least} to {most}")
    return int(text)


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError("a number from 0 on")
    return value


def _or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parsed(text: str) -> Any:
        try:
            if text.lower() == "none":
                return None
            return parse(text)
        except ValueError as error:
            raise ValueError(f"{error}, or none") from None

    return parsed


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def parsed(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError("one of " + ", ".join(choice for choice in choices if choice))
        return text.lower()

    return parsed


def _word(text: str) -> str:
    if not text or not text.isprintable() or len(text) > 200:
        raise ValueError("a name")
    return text


def _provider(text: str) -> str:
    from webquarry.registry import members_of
    from webquarry.search.provider import Provider

    kinds: list[type[Provider]] = members_of(
        "webquarry.search.providers", Provider, group="webquarry.providers"
    )
    names = sorted(kind.name for kind in kinds)
    if text.lower() not in ("none", *names):
        raise ValueError(f"none, or one of {', '.join(names)}")
    return text.lower()


PARSERS: dict[str, Callable[[str], Any]] = {
    "model": _word,
    "search_provider": _provider,
    "max_rows": _or_none(lambda text: _count(text, 0, 10**9)),
    "max_usd": _or_none(_amount),
    "max_usd_per_day": _or_none(_amount),
    "concurrency": lambda text: _count(text, 1, 1024),
    "on_error": _one_of(ON_ERROR),
    "cache": _switch,
    "dry_run": _switch,
    "searched_seconds": _amount,
    "kept_seconds": _amount,
}


class Options:
    """The values of one engine, which begin as the settings say. Any thread may set one."""

    model: str
    search_provider: str
    max_rows: int | None
    max_usd: float | None
    max_usd_per_day: float | None
    concurrency: int
    on_error: str
    cache: bool
    dry_run: bool
    searched_seconds: float
    kept_seconds: float

    def __init__(self, settings: Settings) -> None:
        self._lock = threading.Lock()
        self.version = 0
        for name in PARSERS:
            setattr(self, name, getattr(settings, f"ask_{name}", None))
        self.on_error, self.cache, self.dry_run = "", True, False
        given = settings.model_fields_set
        self.given = {
            name for name in PARSERS if f"ask_{name}" in given
        }  # said by the user, not by us

    def set(self, name: str, text: str) -> str:
        """Take a value by its name; what it is now comes back as text."""
        name = name.strip().lower()
        if name not in PARSERS:
            raise BadInput(
                f"There is no option {name!r}.",
                suggested_action=f"Name one of {', '.join(PARSERS)}.",
            )
        try:
            value = PARSERS[name](text.strip())
        except ValueError as error:
            raise BadInput(f"The option {name} takes {error}.") from None
        with self._lock:
            setattr(self, name, value)
            self.given.add(name)
            self.version += 1
        return self.get(name)

    def get(self, name: str) -> str:
        """The value as text, the way `set` takes it."""
        name = name.strip().lower()
        if name not in PARSERS:
            raise BadInput(
                f"There is no option {name!r}.",
                suggested_action=f"Name one of {', '.join(PARSERS)}.",
            )
        value = getattr(self, name)
        if value is None:
            return "none"
        if isinstance(value, bool):
            if value:
                return "on"
            return "off"
        if isinstance(value, float):
            return f"{value:g}"
        return str(value)
