"""The functions that set and show the state of this database: keys, model, search provider,
options, the bill.

The `stps_*` functions answer in the words of the original. A key in a SQL text may end up in
DuckDB's query log and in histories; a warning says so once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from webquarry.ask.keys import (
    GOOGLE_ENGINE,
    GOOGLE_KEY,
    MODEL_KEY,
    SEARCH_KEY,
    VENDOR_SETTER,
    find_key_names,
    find_vendor_credential,
)
from webquarry.ask.ledger import add_total
from webquarry.displayable import Displayable
from webquarry.errors import BadInput
from webquarry.sql.function import Function, FunctionCall, parse_parameters, translate_errors
from webquarry.sql.instance import Instance
from webquarry.sql.types import ValueType

USAGE_ROW: dict[str, Any] = {
    "day": "VARCHAR",
    "begun_at": "TIMESTAMP",
    "statement": "VARCHAR",
    "door": "VARCHAR",
    "sql": "VARCHAR",
    "model": "VARCHAR",
    "questions": "BIGINT",
    "hits": "BIGINT",
    "calls": "BIGINT",
    "searches": "BIGINT",
    "kept_searches": "BIGINT",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cached_tokens": "BIGINT",
    "usd": "DOUBLE",
    "uncertain_usd": "DOUBLE",
}
_USAGE: ValueType = [USAGE_ROW]
TOTAL_ROW = {name: kind for name, kind in USAGE_ROW.items() if kind in ("BIGINT", "DOUBLE")}


class Bill(Displayable, list[dict[str, Any]]):
    """The spending: a dict for each statement and model. A notebook shows it as a table."""


def set_key(variable: str, done: str, null: str, call: FunctionCall) -> list[Any]:
    """Set a key for each row."""

    def set_one(value: str) -> str:
        if not value.strip():
            raise BadInput(
                f"The value of {variable} is blank, and nothing was changed.",
                suggested_action="Give the key, or leave it to the environment variable.",
            )
        call.instance.set_key(variable, value)
        return done

    if variable != GOOGLE_ENGINE:
        _warn_of_key(call.instance, variable)
    return _set_each(set_one, null, call)


def set_vendor_key(call: FunctionCall) -> list[Any]:
    """Set the key of a vendor of models for each row. NULL, often a missing value, is an error."""
    vendors, values = call.arguments.to_lists("vendor", "value")
    messages = []
    for vendor, value in zip(vendors, values, strict=True):
        variable = find_vendor_credential(vendor or "").variable
        if value is None:
            raise BadInput(
                f"The key of {vendor} was given as NULL, and nothing was changed.",
                suggested_action="Give a value; '' removes the key that was set here.",
            )
        call.instance.set_key(variable, value)
        _warn_of_key(call.instance, variable)
        messages.append(f"{vendor}: API key configured successfully")
    return messages


def _warn_of_key(instance: Instance, variable: str) -> None:
    """Name the other places of a key, once."""
    stps, ours, _ = find_key_names(variable)
    file = f"~/.stps/{stps}" if stps else f"~/.config/webquarry/{ours}"
    text = (
        "a key in a SQL text is written to DuckDB's query log and to histories. Better: the "
        f"environment variable {variable}, or the file {file} (mode 0600)"
    )
    instance.warn_once("sql-key", text)


def set_named_option(option: str, done: str, null: str, call: FunctionCall) -> list[Any]:
    """Set one option for each row."""
    return _set_each(lambda value: done + call.instance.set_option(option, value), null, call)


def _set_each(set_one: Callable[[str], str], null: str, call: FunctionCall) -> list[Any]:
    """Return the message of each row; `null` for NULL."""
    (values,) = call.arguments.to_lists("value")
    return [null if value is None else set_one(value) for value in values]


def set_option(call: FunctionCall) -> list[Any]:
    """Set an option for each row. NULL, often a missing value, is an error."""
    messages = []
    for name, value in zip(*call.arguments.to_lists("name", "value"), strict=True):
        if value is None:
            raise BadInput(
                f"The option {name} was given NULL, and nothing was changed.",
                suggested_action="Give a value; 'none' removes a limit.",
            )
        messages.append(f"{name} = {call.instance.set_option(name or '', value)}")
    return messages


def list_usage(instance: Instance, days: int = 1) -> Bill:
    """Return the bill of the last days, a row for each statement and model."""
    rows = Bill()
    for record in instance.read_bill(days):
        row = {name: getattr(record, name, None) for name in USAGE_ROW}
        begun_at = datetime.fromtimestamp(record.begun_at, UTC).replace(tzinfo=None)
        rows.append(row | {"begun_at": begun_at, "sql": record.words or None})
    return rows


def sum_usage(instance: Instance, days: int = 1) -> dict[str, Any]:
    """Return the bill of the last days in one row."""
    total = add_total(instance.read_bill(days))
    return {name: getattr(total, name) for name in TOTAL_ROW}


def _for_days(read: Callable[[Instance, int], Any], call: FunctionCall) -> list[Any]:
    """Return a bill for each row; NULL is one day."""
    (counts,) = call.arguments.to_lists("days")
    return [read(call.instance, 1 if count is None else count) for count in counts]


_VALUE = parse_parameters("value!")


def _build_key_setter(
    name: str, variable: str, label: str, null: str = "ERROR: API key cannot be NULL"
) -> Function:
    done = f"{label} configured successfully"
    return Function(name, _VALUE, "VARCHAR", partial(set_key, variable, done, null))


def _build_usage_function(name: str, kind: ValueType, read: Any, table: str) -> Function:
    parameters = parse_parameters("days BIGINT")
    return Function(
        name, parameters, kind, partial(_for_days, read), defaults={"days": "1"}, public=False,
        scalar=None, table=table,
    )  # fmt: skip


_set_model = partial(set_named_option, "model", "Model set to: ", "ERROR: Model cannot be NULL")
_set_provider = partial(
    set_named_option,
    "search_provider",
    "Search provider set to: ",
    "ERROR: Provider cannot be NULL (use 'brave' or 'google')",
)
FUNCTIONS = (
    _build_key_setter("stps_set_api_key", MODEL_KEY, "API key"),
    _build_key_setter("stps_set_brave_api_key", SEARCH_KEY, "Brave API key"),
    _build_key_setter("stps_set_google_api_key", GOOGLE_KEY, "Google API key"),
    _build_key_setter(
        "stps_set_google_cse_id", GOOGLE_ENGINE, "Google CSE ID", "ERROR: CSE ID cannot be NULL"
    ),
    Function(VENDOR_SETTER, parse_parameters("vendor!", "value!"), "VARCHAR", set_vendor_key),
    Function("stps_set_model", _VALUE, "VARCHAR", _set_model),
    Function("stps_set_search_provider", _VALUE, "VARCHAR", _set_provider),
    Function("webquarry_set", parse_parameters("name!", "value!"), "VARCHAR", set_option),
    _build_usage_function(
        "webquarry_usage", _USAGE, list_usage, "SELECT unnest({call}, recursive := true)"
    ),
    _build_usage_function("webquarry_usage_total", TOTAL_ROW, sum_usage, "SELECT unnest({call})"),
)


def build_getters(instance: Instance) -> dict[str, tuple[Callable[[], Any], ValueType]]:
    """Return the functions without arguments, and their types."""

    def build(read: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        def call() -> Any:
            with translate_errors(None):
                return read(*arguments)

        return call

    def get_option(name: str) -> str:
        return instance.engine.options.get(name)

    return {
        "stps_get_model": (build(get_option, "model"), "VARCHAR"),
        "stps_get_search_provider": (build(get_option, "search_provider"), "VARCHAR"),
        "webquarry_usage": (build(list_usage, instance), _USAGE),
        "webquarry_usage_total": (build(sum_usage, instance), TOTAL_ROW),
    }
