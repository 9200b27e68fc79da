"""Options of one engine: names and texts from SQL, flags and settings, typed values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from webquarry.errors import BadInput
from webquarry.settings import Settings

_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off"}
MAX_NAME_LENGTH = 200
ON_ERROR = ("text", "column", "fail")


def _parse_switch(text: str) -> bool:
    if text.lower() not in _YES | _NO:
        raise ValueError("on or off")
    return text.lower() in _YES


def _parse_count(text: str, least: int, most: int) -> int:
    is_number = text.isascii() and text.isdigit()
    if not is_number or not least <= int(text) <= most:
        raise ValueError(f"a whole number from {least} to {most}")
    return int(text)


def _parse_rows(text: str) -> int | None:
    if text.lower() == "none":
        return None
    try:
        return _parse_count(text, 0, 10**9)
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def _parse_amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError("a number from 0 on")
    return value


def _parse_usd(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return _parse_amount(text)
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def _parse_on_error(text: str) -> str:
    if text.lower() not in ("", *ON_ERROR):
        raise ValueError("one of " + ", ".join(ON_ERROR))
    return text.lower()


def _parse_model(text: str) -> str:
    if not text or not text.isprintable() or len(text) > MAX_NAME_LENGTH:
        raise ValueError("a name")
    return text


def _parse_provider(text: str) -> str:
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
    "model": _parse_model,
    "search_provider": _parse_provider,
    "max_rows": _parse_rows,
    "max_usd": _parse_usd,
    "max_usd_per_day": _parse_usd,
    "max_discarded_rows": _parse_rows,
    "concurrency": lambda text: _parse_count(text, 1, 1024),
    "on_error": _parse_on_error,
    "cache": _parse_switch,
    "dry_run": _parse_switch,
    "searched_seconds": _parse_amount,
    "kept_seconds": _parse_amount,
}


class Options:
    """The values of one engine; the defaults are those of the settings. Thread-safe."""

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
        self.version = 0  # increased by every change
        for name in PARSERS:
            setattr(self, name, getattr(settings, f"ask_{name}", None))
        self.on_error, self.cache, self.dry_run = "", True, False
        self.set_by_user = {name for name in PARSERS if f"ask_{name}" in settings.explicit}

    def set(self, name: str, text: str) -> str:
        """Set an option and return its value as text. Raises BadInput."""
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
        """Return the value as text, as `set` accepts it."""
        value = getattr(self, _normalize_name(name))
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:g}" if isinstance(value, float) else str(value)


def _normalize_name(name: str) -> str:
    name = name.strip().lower()
    if name not in PARSERS:
        raise BadInput(
            f"There is no option {name!r}.",
            suggested_action=f"Name one of {', '.join(PARSERS)}.",
        )
    return name
