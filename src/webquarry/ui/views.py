"""The views of the web UI: those of research, the calls and the health of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webquarry.caller import LOCAL, caller
from webquarry.views.calls import show_calls
from webquarry.views.catalogue import VIEWS, ShowView, answer_view

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit


async def answer_page(kit: Toolkit, name: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the data of a view; raise BadInput if it is unknown."""
    return await answer_view(_PAGE_VIEWS, kit, name, parameters)


async def show_health(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the report of doctor without network checks.

    Callers of a shared server only learn whether records can be written.
    """
    if caller() != LOCAL:
        trouble = kit.records.trouble if kit.redis is None else kit.redis.refusal
        return {"ok": trouble is None, "records": trouble or "ok"}
    from webquarry.doctor.examine import examine

    report = await examine(kit.environ, offline=True)
    return {**report.as_dict(), "ok": report.ok}


_PAGE_VIEWS: dict[str, ShowView] = {"calls": show_calls, **VIEWS, "health": show_health}
