"""docs/settings.md, made from the Settings class: one row per setting. `scripts/generate.py` writes
and checks it.
"""

from __future__ import annotations

from typing import Any

from webquarry import __version__
from webquarry.settings import Settings

HEAD = """# Settings

<!-- Generated from src/webquarry/settings.py by scripts/generate.py; edit the class, then run: make generate -->

Every setting is an environment variable, read when a command starts or a toolkit is opened. Where several names are
given the first one that is set counts. Yes-or-no settings take `1`/`0`, `true`/`false`, `yes`/`no`, `on`/`off`. A value
that does not fit is an error that names the variable; a name that nobody knows is pointed out by `webquarry doctor`. In
Python the same fields are the arguments of `webquarry.Settings`.

| Variable | Default | Takes | What it does |
| --- | --- | --- | --- |
"""

FOOT = """
Credentials are not settings: `webquarry doctor --all` shows which were found and where, and the README lists the places. Those
of several servers, `WEBQUARRY_REDIS_URL` (or `REDIS_URL`) and `WEBQUARRY_STORE_KEY`, are in [teams.md](teams.md).
"""


def settings_table() -> str:
    """The whole page."""
    schema = Settings.model_json_schema()["properties"]
    rows = [_row(name, schema[name]) for name in Settings.model_fields]
    return HEAD + "\n".join(rows) + "\n" + FOOT


def _row(name: str, schema: dict[str, Any]) -> str:
    variables = Settings.variables_of(name) or ["WEBQUARRY_<PROVIDER>_URL"]
    cells = (
        ", ".join(f"`{variable}`" for variable in variables),
        _default(schema.get("default")),
        takes(schema),
        schema["description"],
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(value: Any) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "`1`" if value else "`0`"
    return f"`{str(value).replace(__version__, '<version>')}`"


def takes(schema: dict[str, Any]) -> str:
    """The type and its limits in words."""
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    kinds = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "yes or no",
    }
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    option = options[0]
    if option.get("format") in ("path", "file-path"):
        return "path"
    if option.get("type") == "array":
        return "comma-separated list"
    if option.get("type") == "object":
        return "URL"
    return kinds[option["type"]] + _limits(option)


def _limits(option: dict[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    said = [f"{word} {option[key]:g}" for key, word in words.items() if key in option]
    return f", {', '.join(said)}" if said else ""
