"""The functions that set and show what belongs to this database: keys, model, search provider,
options, the bill.

The `stps_*` answer in the words of the original. A key in a SQL text may end up in DuckDB's query
log, in a shell's history and in a notebook; whoever sets one that way is told so, once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from webquarry.ask.keys import GOOGLE_ENGINE, GOOGLE_KEY, MODEL_KEY, SEARCH_KEY
from webquarry.errors import BadInput
from webquarry.registry import module_names
from webquarry.surfaces.sql.functions.function import Function, FunctionCall, parameters, speaking
from webquarry.surfaces.sql.functions.types import Shape
from webquarry.surfaces.sql.instance import Instance

log = logging.getLogger(__name__)

SPENT: dict[str, Any] = {
    "day": "VARCHAR",
    "statement": "VARCHAR",
    "door": "VARCHAR",
    "model": "VARCHAR",
    "questions": "BIGINT",
    "hits": "BIGINT",
    "calls": "BIGINT",
    "searches": "BIGINT",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cached_tokens": "BIGINT",
    "usd": "DOUBLE",
    "uncertain_usd": "DOUBLE",
}
_USAGE: Shape = [SPENT]


def _set_key(variable: str, done: str, null: str, call: FunctionCall) -> list[Any]:
    (values,) = call.given.lists("value")
    for value in values:
        if value is not None:
            call.instance.set_key(variable, value)
    if variable != GOOGLE_ENGINE:
        call.instance.warn_once(
            "sql-key",
            "a key in a SQL text is kept by DuckDB's query log and by histories. Better: the "
            "environment variable "
            f"{MODEL_KEY}, the file ~/.stps/anthropic_api_key (mode 0600), or "
            "webquarry.sql.install(con, api_key=...)",
        )
    return [null if value is None else done for value in values]


def _set_model(call: FunctionCall) -> list[Any]:
    return [
        "ERROR: Model cannot be NULL"
        if value is None
        else f"Model set to: {call.instance.set_option('model', value)}"
        for value in call.given.lists("value")[0]
    ]


def _set_search_provider(call: FunctionCall) -> list[Any]:
    return [
        "ERROR: Provider cannot be NULL (use 'brave' or 'google')"
        if value is None
        else "Search provider set to: "
        f"{call.instance.set_option('search_provider', _provider(value))}"
        for value in call.given.lists("value")[0]
    ]


def _provider(name: str) -> str:
    known = [*module_names("webquarry.search.providers"), "none"]
    if name.strip().lower() not in known:
        raise BadInput(
            f"There is no search provider {name!r}.",
            suggested_action=f"Use one of: {', '.join(known)}.",
        )
    return name


def _set(call: FunctionCall) -> list[Any]:
    pairs = zip(*call.given.lists("name", "value"), strict=True)
    return [
        f"{name} = {call.instance.set_option(name or '', _text(value))}" for name, value in pairs
    ]


def _text(value: str | None) -> str:
    if value is None:
        return "none"
    return value


def usage(instance: Instance, days: int = 1) -> list[dict[str, Any]]:
    """The bill of the last days, a row for each statement and model."""
    return [
        {name: _cell(getattr(spent, name)) for name in SPENT}
        for spent in instance.engine.usage(days=days)
    ]


def _cell(value: Any) -> Any:
    if isinstance(value, str | int | float) or value is None:
        return value
    return str(value)


def _usage_of_days(call: FunctionCall) -> list[Any]:
    (days,) = call.given.lists("days")
    return [usage(call.instance, 1 if count is None else count) for count in days]


def _key(
    name: str, variable: str, done: str, null: str = "ERROR: API key cannot be NULL"
) -> Function:
    return Function(name, parameters("value!"), "VARCHAR", partial(_set_key, variable, done, null))


FUNCTIONS = (
    _key("stps_set_api_key", MODEL_KEY, "API key configured successfully"),
    _key("stps_set_brave_api_key", SEARCH_KEY, "Brave API key configured successfully"),
    _key("stps_set_google_api_key", GOOGLE_KEY, "Google API key configured successfully"),
    _key(
        "stps_set_google_cse_id",
        GOOGLE_ENGINE,
        "Google CSE ID configured successfully",
        "ERROR: CSE ID cannot be NULL",
    ),
    Function("stps_set_model", parameters("value!"), "VARCHAR", _set_model),
    Function("stps_set_search_provider", parameters("value!"), "VARCHAR", _set_search_provider),
    Function("webquarry_set", parameters("name!", "value!"), "VARCHAR", _set),
    Function(
        "webquarry_usage",
        parameters("days BIGINT"),
        _USAGE,
        _usage_of_days,
        defaults={"days": "1"},
        public=False,
        scalar=None,
        table="SELECT unnest({call}, recursive := true)",
    ),
)


def _speaking(read: Callable[[], Any]) -> Any:
    with speaking(None):
        return read()


def without_arguments(instance: Instance) -> dict[str, tuple[Callable[[], Any], Shape]]:
    """Functions that take nothing, which DuckDB knows in another form: by name, the function and
    its shape.
    """
    return {
        "stps_get_model": (
            lambda: _speaking(lambda: instance.engine.options.get("model")),
            "VARCHAR",
        ),
        "stps_get_search_provider": (
            lambda: _speaking(lambda: instance.engine.options.get("search_provider")),
            "VARCHAR",
        ),
        "webquarry_usage": (lambda: _speaking(lambda: usage(instance)), _USAGE),
    }
