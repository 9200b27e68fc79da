"""What goes to a model and what comes back, in the words of no vendor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from webquarry.ask.billing.prices import Tokens

WEB_SEARCH = "web_search"
SEARCH_WORDS = "Search the web for current information"
QUERY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Search query"}},
    "required": ["query"],
}
# The same in the strict form: nothing else may be given.
STRICT_QUERY_SCHEMA: dict[str, Any] = {**QUERY_SCHEMA, "additionalProperties": False}

Body = dict[str, Any]
# Why a turn ended: whole, to use a tool, at its longest, declined, to be asked to go on, or for a
# reason that nobody knows.
Stop = Literal["end", "tool", "cut", "refused", "paused", "unknown"]


@dataclass(frozen=True)
class ModelRequest:
    """One question as every vendor can put it."""

    model: str  # as the vendor calls it
    max_tokens: int
    question: str
    instructions: str | None = None
    schema: Mapping[str, Any] | None = None  # JSON Schema of a typed answer
    offers_search: bool = False


@dataclass(frozen=True)
class SearchCall:
    """A tool that the model wants to use; `query` is None where it gave none that can be read."""

    id: str
    name: str
    query: str | None


@dataclass(frozen=True)
class SearchOutcome:
    """What a call is answered with."""

    call: SearchCall
    text: str
    failed: bool


@dataclass(frozen=True)
class Turn:
    """The model's answer to one request. `raw` is the vendor's own turn, to be sent back as it
    came.
    """

    text: str
    stop: Stop
    why: str  # the reason to end, in the vendor's word
    calls: tuple[SearchCall, ...] = ()
    tokens: Tokens | None = None  # None where the vendor did not say
    usd: float | None = None  # where the vendor says what it cost
    category: str | None = None  # of a refusal
    explanation: str | None = None  # of a refusal
    raw: Any = None


def read_query(arguments: Any) -> str | None:
    """The query among a tool's arguments; None when there is none."""
    query = arguments.get("query") if isinstance(arguments, dict) else None
    if not isinstance(query, str) or not query.strip():
        return None
    return query


def parse_arguments(arguments: Any) -> Any:
    """The arguments of a call, which may be a text of JSON; None when that cannot be read, as what
    small models write.
    """
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def read_count(value: Any, name: str) -> int:
    """A count of an object of a reply; what is missing or no count is 0."""
    count = value.get(name) if isinstance(value, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        return 0
    return count
