"""What the vendors' loops share: reading their answers, and running all calls of a turn at once.

A call that cannot be run or that fails is answered all the same, because every vendor wants one
result per call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.errors import WebquarryError
from webquarry.host.models import JsonObject
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.translation.naming import NameRules

_MOST_AT_ONCE = 8
CUT_OFF = "The call was cut off before its arguments were complete and was not run; make it again."


@dataclass(frozen=True)
class ToolCall:
    """One tool call of a model, whichever vendor's."""

    id: str | None
    name: str
    arguments: Any = None
    problem: str = ""  # why it cannot be run


@dataclass(frozen=True)
class ToolOutcome:
    """What came of a call: a result, or an error in words."""

    call: ToolCall
    result: JsonObject | None = None
    error: str = ""

    @property
    def text(self) -> str:
        """The result as JSON text, an error as an object with that one field."""
        if self.result is None:
            value = {"error": self.error}
        else:
            value = self.result
        return json.dumps(value, ensure_ascii=False)


# Runs a tool with arguments as the vendor with these naming rules sent them.
RunCall = Callable[[str, Any, NameRules], Awaitable[JsonObject]]


async def answer_all(
    calls: Sequence[ToolCall], run: RunCall, rules: NameRules
) -> list[ToolOutcome]:
    """Run the calls side by side; the outcomes are in the order of the calls."""
    at_once = asyncio.Semaphore(_MOST_AT_ONCE)

    async def answer(call: ToolCall) -> ToolOutcome:
        if call.problem:
            return ToolOutcome(call, error=call.problem)
        async with at_once:
            try:
                result = await run(call.name, call.arguments, rules)
            except WebquarryError as error:
                message = error.sentences
                return ToolOutcome(call, error=message)
            return ToolOutcome(call, result)

    return list(await asyncio.gather(*map(answer, calls)))


def read_field(source: Any, *names: str) -> Any:
    """The first of these fields that is there, in a dict or in an object of a vendor's SDK; else
    None.
    """
    for name in names:
        if isinstance(source, Mapping):
            value = source.get(name)
        else:
            value = getattr(source, name, None)
        if value is not None:
            return value
    return None


def read_list(source: Any, *names: str) -> list[Any]:
    """A field that holds a list; an absent one is empty."""
    value = read_field(source, *names)
    if isinstance(value, list | tuple):
        return list(value)
    return []


def parse_call(call_id: str | None, name: Any, arguments: Any) -> ToolCall:
    """A call whose arguments came as JSON text, which may have been cut off."""
    data = str(arguments or "").encode("utf-8", "replace")
    try:
        value = parse_json(data)
    except NotJson as error:
        problem = f"The call was not run: the text of its arguments {error}."
        return ToolCall(call_id, str(name), problem=problem)
    return ToolCall(call_id, str(name), value)
