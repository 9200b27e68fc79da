"""Calls of tools -> what the page shows of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webquarry.store.calls import LoggedCall
    from webquarry.toolkit import Toolkit

MOST_CALLS = 200  # that are shown at once


async def show_calls(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The latest calls, the oldest first."""
    calls = await asyncio.to_thread(kit.calls.list_latest, MOST_CALLS)
    return {"enabled": kit.settings.call_log, "calls": [describe_call(call) for call in calls]}


def describe_call(call: LoggedCall) -> dict[str, Any]:
    """A call for the page: what was not said is left out."""
    fields = call.as_dict()
    fields.pop("caller", None)
    fields["arguments"] = {
        name: value for name, value in call.arguments.items() if value is not None
    }
    return fields
