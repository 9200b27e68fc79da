"""Options of one engine: names and texts from SQL and flags, typed values."""

from __future__ import annotations

import math
from typing import Any

from webquarry.errors import BadInput
from webquarry.settings import Settings

MAX_NAME_LENGTH = 200
ON_ERROR = ("text", "column", "fail")
# By name of the option: the setting whose default and rules it has; empty for none.
OPTIONS = {
    "model": "ask_model",
    "search_provider": "ask_search_provider",
    "max_rows": "ask_max_rows",
    "max_usd": "ask_max_usd",
    "max_usd_per_day": "ask_max_usd_per_day",
    "max_discarded_rows": "ask_max_discarded_rows",
    "concurrency": "ask_concurrency",
    "on_error": "",
    "cache": "",
    "dry_run": "",
    "searched_seconds": "ask_searched_seconds",
    "kept_seconds": "ask_kept_seconds",
}
_SWITCH = {"1": True, "true": True, "yes": True, "on": True}
_SWITCH |= {"0": False, "false": False, "no": False, "off": False}


class Options:
    """The values of one engine; the defaults are those of the settings. Thread-safe."""

    model: str
    search_provider: str
    max_rows: int | None
    max_usd: float | None
    max_usd_per_day: float | None
    max_discarded_rows: int | None
    concurrency: int
    searched_seconds: float
    kept_seconds: float

    def __init__(self, settings: Settings) -> None:
        self.on_error, self.cache, self.dry_run = "", True, False
        self.set_by_user = set()
        for name, field in OPTIONS.items():
            if field:
                setattr(self, name, getattr(settings, field))
            if field in settings.explicit:
                self.set_by_user.add(name)

    def set(self, name: str, text: str) -> str:
        """Set an option and return its value as text. Raises BadInput."""
        name = _normalize_name(name)
        setattr(self, name, _parse(name, text.strip()))
        self.set_by_user.add(name)
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
    if name not in OPTIONS:
        raise BadInput(
            f"There is no option {name!r}.",
            suggested_action=f"Name one of {', '.join(OPTIONS)}.",
        )
    return name


def _parse(name: str, text: str) -> Any:
    """Return the value of an option. Raises BadInput."""
    word = text.lower()
    if name in ("cache", "dry_run"):
        return _choose(name, word, _SWITCH, "on or off")
    if name == "on_error":
        return _choose(name, word, {one: one for one in ("", *ON_ERROR)}, ", ".join(ON_ERROR))
    if name == "search_provider":
        names = ["none", *_list_providers()]
        return _choose(name, word, {one: one for one in names}, ", ".join(names))
    value = Settings.fields()[OPTIONS[name]].parse(text, name)
    if name == "model" and not (text.isprintable() and len(text) <= MAX_NAME_LENGTH):
        raise BadInput(f"The option {name} takes a name.")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"The option {name} takes a finite number.")
    return value


def _choose(name: str, word: str, values: dict[str, Any], description: str) -> Any:
    if word not in values:
        raise BadInput(f"The option {name} takes one of: {description}.")
    return values[word]


def _list_providers() -> list[str]:
    from webquarry._search.provider import Provider

    return [kind.name for kind in Provider.members()]
