"""The functions that set and show what belongs to this database: keys, model, search provider,
options, the bill.

The `stps_*` answer in the words of the original. A key in a SQL text may end up in DuckDB's query
log, in a shell's history and in a notebook; whoever sets one that way is told so, once.
"""

from __future__ import annotations

import logging
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
from webquarry.registry import module_names
from webquarry.sql.functions.function import (
    Function,
    FunctionCall,
    parse_parameters,
    translate_errors,
)
from webquarry.sql.functions.types import ValueType
from webquarry.sql.instance import Instance

log = logging.getLogger(__name__)

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
_RECORD_FIELDS = [name for name in USAGE_ROW if name not in ("begun_at", "sql")]
_NOT_IN_TOTAL = ("day", "begun_at", "statement", "door", "sql", "model")
TOTAL_ROW = {name: kind for name, kind in USAGE_ROW.items() if name not in _NOT_IN_TOTAL}
_INSTALL_ARGUMENTS = {MODEL_KEY: "api_key", SEARCH_KEY: "brave_api_key"}


class Bill(Displayable, list[dict[str, Any]]):
    """What was spent, a dict for each statement and model; a notebook shows it as a table."""


def set_key(variable: str, done: str, null: str, call: FunctionCall) -> list[Any]:
    """Set a key for each row; the words of the original come back."""
    (values,) = call.arguments.to_lists("value")
    messages = []
    for value in values:
        if value is None:
            messages.append(null)
        else:
            call.instance.set_key(variable, value)
            messages.append(done)
    if variable != GOOGLE_ENGINE:
        call.instance.warn_once("sql-key", _describe_better_places(variable))
    return messages


def set_vendor_key(call: FunctionCall) -> list[Any]:
    """Set the key of a vendor of models for each row; NULL, which is often a value that was not
    found, is an error.
    """
    vendors, values = call.arguments.to_lists("vendor", "value")
    messages = []
    for vendor, value in zip(vendors, values, strict=True):
        credential = find_vendor_credential(vendor or "")
        if value is None:
            raise BadInput(
                f"The key of {vendor} was given as NULL, and nothing was changed.",
                suggested_action="Give a value; '' forgets the key that was set here.",
            )
        call.instance.set_key(credential.variable, value)
        call.instance.warn_once("sql-key", _describe_better_places(credential.variable))
        messages.append(f"{vendor}: API key configured successfully")
    return messages


def _describe_better_places(variable: str) -> str:
    """Where else a key can be given than in a SQL text."""
    stps, ours, _ = find_key_names(variable)
    file = f"~/.config/webquarry/{ours}"
    if stps is not None:
        file = f"~/.stps/{stps}"
    text = (
        "a key in a SQL text is kept by DuckDB's query log and by histories. Better: the "
        f"environment variable {variable}, or the file {file} (mode 0600)"
    )
    argument = _INSTALL_ARGUMENTS.get(variable)
    if argument is None:
        return text
    return f"{text}, or webquarry.sql.install(con, {argument}=...)"


def set_model(call: FunctionCall) -> list[Any]:
    """Set the model for each row; the words of the original come back."""
    (values,) = call.arguments.to_lists("value")
    messages = []
    for value in values:
        if value is None:
            messages.append("ERROR: Model cannot be NULL")
        else:
            model = call.instance.set_option("model", value)
            messages.append(f"Model set to: {model}")
    return messages


def set_search_provider(call: FunctionCall) -> list[Any]:
    """Set the search provider for each row; one that does not exist is `BadInput`."""
    (values,) = call.arguments.to_lists("value")
    known = [*module_names("webquarry._search.providers"), "none"]
    messages = []
    for value in values:
        if value is None:
            messages.append("ERROR: Provider cannot be NULL (use 'brave' or 'google')")
            continue
        if value.strip().lower() not in known:
            raise BadInput(
                f"There is no search provider {value!r}.",
                suggested_action=f"Use one of: {', '.join(known)}.",
            )
        provider = call.instance.set_option("search_provider", value)
        messages.append(f"Search provider set to: {provider}")
    return messages


def set_option(call: FunctionCall) -> list[Any]:
    """Set an option for each row; NULL, which is often a value that was not found, is an error."""
    names, values = call.arguments.to_lists("name", "value")
    messages = []
    for name, value in zip(names, values, strict=True):
        if value is None:
            raise BadInput(
                f"The option {name} was given NULL, and nothing was changed.",
                suggested_action="Give a value; 'none' takes a limit away.",
            )
        kept = call.instance.set_option(name or "", value)
        messages.append(f"{name} = {kept}")
    return messages


def list_usage(instance: Instance, days: int = 1) -> Bill:
    """The bill of the last days, a row for each statement and model."""
    rows = Bill()
    for record in instance.engine.usage(days=days):
        row = {name: getattr(record, name) for name in _RECORD_FIELDS}
        begun_at = datetime.fromtimestamp(record.begun_at, UTC).replace(tzinfo=None)
        rows.append(row | {"begun_at": begun_at, "sql": record.words or None})
    return rows


def sum_usage(instance: Instance, days: int = 1) -> dict[str, Any]:
    """The bill of the last days in one row."""
    total = add_total(instance.engine.usage(days=days))
    return {name: getattr(total, name) for name in TOTAL_ROW}


def list_usage_of_days(call: FunctionCall) -> list[Any]:
    """The bill of so many days for each row; NULL is one day."""
    (counts,) = call.arguments.to_lists("days")
    bills = []
    for count in counts:
        days = 1 if count is None else count
        bill = list_usage(call.instance, days)
        bills.append(bill)
    return bills


def sum_usage_of_days(call: FunctionCall) -> list[Any]:
    """What so many days took in all, for each row; NULL is one day."""
    (counts,) = call.arguments.to_lists("days")
    return [sum_usage(call.instance, 1 if count is None else count) for count in counts]


def _build_key_setter(
    name: str, variable: str, done: str, null: str = "ERROR: API key cannot be NULL"
) -> Function:
    """The function that sets one of the keys."""
    body = partial(set_key, variable, done, null)
    return Function(name, parse_parameters("value!"), "VARCHAR", body)


FUNCTIONS = (
    _build_key_setter("stps_set_api_key", MODEL_KEY, "API key configured successfully"),
    _build_key_setter(
        "stps_set_brave_api_key", SEARCH_KEY, "Brave API key configured successfully"
    ),
    _build_key_setter(
        "stps_set_google_api_key", GOOGLE_KEY, "Google API key configured successfully"
    ),
    _build_key_setter(
        "stps_set_google_cse_id",
        GOOGLE_ENGINE,
        "Google CSE ID configured successfully",
        "ERROR: CSE ID cannot be NULL",
    ),
    Function(VENDOR_SETTER, parse_parameters("vendor!", "value!"), "VARCHAR", set_vendor_key),
    Function("stps_set_model", parse_parameters("value!"), "VARCHAR", set_model),
    Function(
        "stps_set_search_provider", parse_parameters("value!"), "VARCHAR", set_search_provider
    ),
    Function("webquarry_set", parse_parameters("name!", "value!"), "VARCHAR", set_option),
    Function(
        "webquarry_usage",
        parse_parameters("days BIGINT"),
        _USAGE,
        list_usage_of_days,
        defaults={"days": "1"},
        public=False,
        scalar=None,
        table="SELECT unnest({call}, recursive := true)",
    ),
    Function(
        "webquarry_usage_total",
        parse_parameters("days BIGINT"),
        TOTAL_ROW,
        sum_usage_of_days,
        defaults={"days": "1"},
        public=False,
        scalar=None,
        table="SELECT unnest({call})",
    ),
)


def build_getters(instance: Instance) -> dict[str, tuple[Callable[[], Any], ValueType]]:
    """Functions that take nothing, which DuckDB knows in another form: by name, the function and
    its type.
    """

    def get_option(name: str) -> str:
        with translate_errors(None):
            return instance.engine.options.get(name)

    def get_usage() -> Bill:
        with translate_errors(None):
            return list_usage(instance)

    def get_total() -> dict[str, Any]:
        with translate_errors(None):
            return sum_usage(instance)

    return {
        "stps_get_model": (lambda: get_option("model"), "VARCHAR"),
        "stps_get_search_provider": (lambda: get_option("search_provider"), "VARCHAR"),
        "webquarry_usage": (get_usage, _USAGE),
        "webquarry_usage_total": (get_total, TOTAL_ROW),
    }
