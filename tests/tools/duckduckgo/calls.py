"""Calls of the two tools of the set, to a DuckDuckGo on 127.0.0.1."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.duckduckgo_site import Asked, DuckDuckGoSite, Said
from tests.net.doubles import FakeClock
from tests.search.replies import recorded
from webquarry.settings import Settings
from webquarry.tool import TextAnswer
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.tools.duckduckgo import own_settings

ANOMALY = Said(recorded("duckduckgo/challenge_202_html_anomaly"), 202)


def challenge_everywhere(asked: Asked) -> Said:
    return Said(recorded(f"duckduckgo/challenge_202_{asked.way}_anomaly"), 202)


def kit_of(environ: Mapping[str, str]) -> Toolkit:
    return Toolkit(own_settings(Settings.from_environment(environ)), environ)


Call = tuple[str, dict[str, Any]]


def ask(
    site: DuckDuckGoSite,
    *calls: Call,
    environ: Mapping[str, str] | None = None,
    clock: FakeClock | None = None,
) -> list[TextAnswer]:
    """Call the tools one after the other with one toolkit."""

    async def run() -> list[TextAnswer]:
        kit = kit_of(site.environ | dict(environ or {}))
        if clock is not None:
            kit.__dict__["clock"] = clock
        try:
            answers = [
                await load("duckduckgo", name).call(kit, arguments) for name, arguments in calls
            ]
        finally:
            await kit.aclose()
        return [answer for answer in answers if isinstance(answer, TextAnswer)]

    return asyncio.run(run())


def search(
    site: DuckDuckGoSite,
    query: str = "seal wear",
    *,
    environ: Mapping[str, str] | None = None,
    **more: int,
) -> str:
    return ask(site, ("web_search", {"query": query, **more}), environ=environ)[0].text


def look_up(
    site: DuckDuckGoSite, query: str = "sample", environ: Mapping[str, str] | None = None
) -> str:
    return ask(site, ("instant_answer", {"query": query}), environ=environ)[0].text


def kept(tmp_path: Path) -> dict[str, str]:
    """The settings with which answers are kept."""
    return {"WEBQUARRY_CACHE": "1", "WEBQUARRY_CACHE_FOLDER": str(tmp_path)}
