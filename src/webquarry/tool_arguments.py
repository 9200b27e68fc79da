"""Tolerant reading of tool arguments before they are validated.

Models send "3" for 3, JSON text for a list, `maxTokens` for `max_tokens`, or `<https://...>` for a
URL. `read_arguments` converts what has one possible meaning and reports each change. It never
guesses: a value with two readings is left for validation to refuse, and the address guard judges
the URL that results.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from webquarry.errors import BadInput
from webquarry.tool_schema import Schema

# Other names of parameters, without case and underscores.
_SYNONYMS = {
    "query": "q searchquery search searchterm searchterms prompt text keywords",
    "num_results": "maxresults limit count num n numberofresults resultcount topk k",
    "max_results": "numresults limit count num n numberofresults resultcount topk k",
    "url": "link pageurl uri href address webpage urls",
    "site": "domain",
    "quotes": "quote",
    "sources": "source urls url",
    "references": "reference citations citation",
}
_STRIPPED = {"query", "site", "lens", "provider", "language", "country", "sessionId"}
_ITEM_KEYS = ("url", "quote", "text", "reference", "link")  # of an object that stands for a string
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True}
_BOOLEANS |= {"false": False, "no": False, "off": False, "0": False}
_WRAPPERS = {"<": ">", '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "(": ")"}
_MARKDOWN_LINK = re.compile(r"\[[^\[\]]*\]\((\S+?)(?:\s+\"[^\"]*\")?\)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")
_LABEL = r"[^\W_](?:[\w-]*[^\W_])?"
_HOST = re.compile(
    rf"(?:(?:{_LABEL}\.)+[^\W\d_][\w-]*\.?|\d+(?:\.\d+){{3}}|\[[0-9A-Fa-f:.]+\])(?::\d+)?(?=[/?#]|$)"
)


class _Unreadable(Exception):
    """A value has no single meaning for the type that is expected."""


def read_arguments(
    arguments: Mapping[str, Any], schema: Schema
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments as the schema expects them, and a note for each change.

    Values that cannot be converted are returned unchanged. Raises BadInput if a parameter is given
    twice with different values, or a URL has no host.
    """
    properties: dict[str, Schema] = schema["properties"]
    named: dict[str, tuple[str, Any]] = {}
    for name, value in arguments.items():
        known = _find_parameter(name, properties)
        is_blank = isinstance(value, str) and not value.strip()
        if value is None or (is_blank and known == "url" and known not in schema["required"]):
            continue
        given = _convert(value, properties.get(known, {}), known)
        if known not in named:
            named[known] = (name, given)
        elif named[known][1] != given:
            other = named[known][0]
            raise BadInput(
                f"The fields {other!r} and {name!r} both set {known!r}, with different values.",
                suggested_action=f"Send only {known!r}.",
            )
    notes = []
    for known, (name, value) in named.items():
        if name != known:
            notes.append(f"{name} was read as {known}.")
        if not _is_same(value, arguments[name]):
            notes.append(f"{known} was read as {_shorten(value)}.")
    return {known: value for known, (_, value) in named.items()}, notes


def read_strict_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with exact names and types; only the spelling of a URL is tolerated."""
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, float) and value.is_integer():
            given[name] = int(value)  # JSON has one number type
        elif isinstance(value, str) and name == "url":
            with suppress(BadInput):  # the tool has its own error
                value = read_url(value)
            given[name] = value
        elif value is not None:
            given[name] = value
    return given


def read_url(text: str, field: str = "url") -> str:
    """Return a URL without the characters around it, with a scheme.

    Raises BadInput if the text is not a URL at all. Everything else is for the address guard.
    """
    url = _unwrap(text)
    if url.startswith("//"):
        url = f"https:{url}"
    elif not _SCHEME.match(url) and _HOST.match(url):
        url = f"https://{url}"
    has_host = re.fullmatch(r"(?i)https?:/*", url) is None
    if not url or not has_host or not (_SCHEME.match(url) or url.startswith("\\")):
        raise BadInput(
            f"The field {field!r} is not a URL: {text[:80]!r}.",
            suggested_action="Use a URL of the form https://host/path.",
        )
    return re.sub(r"(?i)^(https?://[^/?#\\@]+?)\.(?=[/?#]|$)", r"\1", url)


def _find_parameter(name: str, properties: Iterable[str]) -> str:
    """Return the parameter that a name means; the name itself if there is none or several."""
    if name in properties:
        return name
    folded = _fold(name)
    found = [known for known in properties if _fold(known) == folded]
    if not found:
        found = [known for known in properties if folded in _SYNONYMS.get(known, "").split()]
    return found[0] if len(found) == 1 else name


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _convert(value: Any, schema: Schema, name: str) -> Any:
    """Return a value in the type of its parameter; unchanged if it cannot be converted."""
    try:
        return _convert_to(value, schema, name)
    except _Unreadable:
        return value


def _convert_to(value: Any, schema: Schema, name: str) -> Any:
    if "anyOf" in schema:
        return _convert_to_any(value, schema["anyOf"], name)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return _read_number(value, is_whole=kind == "integer")
    if kind == "boolean":
        return _read_boolean(value)
    if kind == "string":
        return _read_string(value, schema, name)
    if kind == "array":
        return _read_list(value, schema, name)
    if kind == "object":
        return value if isinstance(value, dict) else _parse_json(value, dict)
    return value


def _convert_to_any(value: Any, options: Iterable[Schema], name: str) -> Any:
    """Return the value if it fits an option, otherwise its only reading as one of them."""
    readings = []
    for option in options:
        if option.get("type") == "null":
            continue
        try:
            reading = _convert_to(value, option, name)
        except _Unreadable:
            continue
        if _is_same(reading, value):
            return reading
        readings.append(reading)
    if len(readings) != 1:
        raise _Unreadable
    return readings[0]


def _read_number(value: Any, *, is_whole: bool) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if is_whole and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one number type
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        raise _Unreadable
    return value


def _read_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower() if isinstance(value, str | int) else ""
    if text not in _BOOLEANS:
        raise _Unreadable
    return _BOOLEANS[text]


def _read_string(value: Any, schema: Schema, name: str) -> str:
    is_url = name == "url" or schema.get("format") == "uri"
    if isinstance(value, str) and is_url and value.strip().startswith("["):
        value = _read_json_list(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise _Unreadable
    if is_url:
        return read_url(value, name)
    if "enum" in schema:
        return _read_choice(value, schema["enum"])
    if name == "site":
        return _read_site(value)
    return (value.strip() or value) if name in _STRIPPED else value


def _read_json_list(text: str) -> Any:
    """Return a JSON list of one URL; the text itself if it is anything else."""
    try:
        return _parse_json(text, list)
    except _Unreadable:
        return text


def _read_choice(value: str, choices: Iterable[str]) -> str:
    folded = _fold(value.strip())
    found = [choice for choice in choices if _fold(str(choice)) == folded]
    if len(found) != 1:
        raise _Unreadable
    return found[0]


def _read_site(value: str) -> str:
    """Return a domain, with a path if there is one, from a domain or a URL."""
    site = _unwrap(value)
    if re.search(r"[,;|]|\s", site):
        raise BadInput(
            f"The field 'site' takes one domain; {value[:80]!r} is not a domain.",
            suggested_action="Give one domain, such as duckdb.org, or leave 'site' out.",
        )
    return re.sub(r"(?i)^https?://", "", site).removeprefix("*.")


def _read_list(value: Any, schema: Schema, name: str) -> list[Any]:
    items: Schema = schema["items"]
    if isinstance(value, str) and value.strip().startswith("["):
        value = _read_json_list(value)
    if not isinstance(value, list):
        value = [value]
    read = []
    for item in value:
        if isinstance(item, dict) and items.get("type") == "string":
            item = _read_item(item)
        item = _convert(item, items, f"{name} item")
        if isinstance(item, str) and name in ("sources", "urls"):
            item = _read_source(item)
        read.append(item)
    return read


def _read_item(item: dict[str, Any]) -> Any:
    """Return the string that an object with one known field stands for."""
    if len(item) == 1:
        key, value = next(iter(item.items()))
        if key in _ITEM_KEYS:
            return value
    return item


def _read_source(source: str) -> str:
    """Return a URL without the characters around it; other identifiers only without whitespace."""
    unwrapped = _unwrap(source)
    if not _SCHEME.match(unwrapped) and _HOST.match(unwrapped) and "/" in unwrapped:
        return f"https://{unwrapped}"
    return unwrapped


def _unwrap(text: str) -> str:
    """Return a text without whitespace, quotation marks, brackets or a Markdown link around it."""
    text = text.strip()
    for _ in range(3):
        link = _MARKDOWN_LINK.fullmatch(text)
        if link:
            text = link[1]
        elif len(text) > 1 and _WRAPPERS.get(text[0]) == text[-1]:
            text = text[1:-1].strip()
        else:
            break
    return text


def _parse_json(text: Any, kind: type) -> Any:
    if isinstance(text, str):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, kind):
            return value
    raise _Unreadable


def _is_same(left: Any, right: Any) -> bool:
    """Return whether two values are equal and of one type; 3 and 3.0 are."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return bool(left == right)


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 120 else f"{text[:117]}..."
