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
_MOST_NAME_LETTERS = 200
ON_ERROR = ("", "text", "column", "fail")


def _parse_switch(text: str) -> bool:
    """On or off, in the words that people use."""
    if text.lower() not in _YES | _NO:
        raise ValueError("on or off")
    return text.lower() in _YES


def _parse_count(text: str, least: int, most: int) -> int:
    """A whole number within these bounds."""
    message = f"a whole number from {least} to {most}"
    if not text.isascii() or not text.isdigit():
        raise ValueError(message)
    count = int(text)
    if not least <= count <= most:
        raise ValueError(message)
    return count


def _parse_amount(text: str) -> float:
    """A number that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError("a number from 0 on")
    return value


def _or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser that also takes `none`."""

    def parse_or_none(text: str) -> Any:
        if text.lower() == "none":
            return None
        try:
            return parse(text)
        except ValueError as error:
            raise ValueError(f"{error}, or none") from None

    return parse_or_none


def _parse_on_error(text: str) -> str:
    """One of `ON_ERROR`."""
    if text.lower() not in ON_ERROR:
        raise ValueError("one of " + ", ".join(filter(None, ON_ERROR)))
    return text.lower()


def _parse_name(text: str) -> str:
    """A name of a model: anything that can be printed."""
    if not text or not text.isprintable() or len(text) > _MOST_NAME_LETTERS:
        raise ValueError("a name")
    return text


def _parse_provider(text: str) -> str:
    """The name of a search provider, or none."""
    from webquarry._search.provider import Provider
    from webquarry.registry import members_of

    kinds: list[type[Provider]] = members_of(
        "webquarry._search.providers", Provider, group="webquarry.providers"
    )
    names = sorted(kind.name for kind in kinds)
    if text.lower() not in ("none", *names):
        raise ValueError(f"none, or one of {', '.join(names)}")
    return text.lower()


PARSERS: dict[str, Callable[[str], Any]] = {
    "model": _parse_name,
    "search_provider": _parse_provider,
    "max_rows": _or_none(lambda text: _parse_count(text, 0, 10**9)),
    "max_usd": _or_none(_parse_amount),
    "max_usd_per_day": _or_none(_parse_amount),
    "max_discarded_rows": _or_none(lambda text: _parse_count(text, 0, 10**9)),
    "concurrency": lambda text: _parse_count(text, 1, 1024),
    "on_error": _parse_on_error,
    "cache": _parse_switch,
    "dry_run": _parse_switch,
    "searched_seconds": _parse_amount,
    "kept_seconds": _parse_amount,
}


def _normalize_name(name: str) -> str:
    """An option's name as we write it; one that is none is `BadInput`."""
    name = name.strip().lower()
    if name not in PARSERS:
        raise BadInput(
            f"There is no option {name!r}.",
            suggested_action=f"Name one of {', '.join(PARSERS)}.",
        )
    return name


class Options:
    """The values of one engine, which begin as the settings say. Any thread may set one."""

    model: str
    search_provider: str
    max_rows: int | None
    max_usd: float | None
    max_usd_per_day: float | None
    max_discarded_rows: int | None
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
        self.set_by_user = {name for name in PARSERS if f"ask_{name}" in settings.explicit}

    def set(self, name: str, text: str) -> str:
        """Take a value by its name; what it is now comes back as text."""
        name = _normalize_name(name)
        try:
            value = PARSERS[name](text.strip())
        except ValueError as error:
            raise BadInput(f"The option {name} takes {error}.") from None
        with self._lock:
            setattr(self, name, value)
            self.set_by_user.add(name)
            self.version += 1
        return self.get(name)

    def get(self, name: str) -> str:
        """The value as text, the way `set` takes it."""
        value = getattr(self, _normalize_name(name))
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, float):
            return f"{value:g}"
        return str(value)
