"""`webquarry cache`, the cache on disk, and `webquarry calls`, the log of tool calls."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.output import Output, with_output
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from webquarry.store.calls import LoggedCall
    from webquarry.store.disk_cache import DiskStore

_POLL_SECONDS = 0.25
_SHOWN = 60  # characters of the first argument


@click.group()
def cache() -> None:
    """Show the size of the cache, or clear it."""


@cache.command()
@with_output
def stats(output: Output) -> None:
    """Show where the cache is and its size."""
    from webquarry.settings import Settings

    settings = Settings.from_environment()
    report: dict[str, Any] = {
        "enabled": settings.cache,
        "entries": 0,
        "bytes": 0,
        "place": "",
        "maxBytes": settings.cache_max_bytes,
    }

    async def measure(store: DiskStore) -> None:
        report["place"] = str(store.path)
        if store.path.exists():
            stats = await store.stats()
            report["entries"] = stats.entries
            report["bytes"] = stats.bytes

    _use_cache(measure)
    state = "on" if report["enabled"] else "off (WEBQUARRY_CACHE=0)"
    size = f"{report['entries']} answers, {report['bytes']} of {report['maxBytes']} bytes"
    output.show_line(report, f"The cache is {state}: {size}, in {report['place']}")


@cache.command()
@with_output
def clear(output: Output) -> None:
    """Delete all cached answers. Sessions and other records are not in the cache."""

    async def delete_all(store: DiskStore) -> int:
        return await store.clear() if store.path.exists() else 0

    cleared = _use_cache(delete_all) or 0
    output.show_line({"cleared": cleared}, f"{cleared} answers were deleted.")


def _use_cache(use: Callable[[DiskStore], Awaitable[Any]]) -> Any:
    """Open the cache, if there is one, without creating it."""
    from webquarry.bridge import bridge
    from webquarry.settings import Settings
    from webquarry.store.open import open_disk_cache

    async def run() -> Any:
        store = open_disk_cache(Settings.from_environment(), os.environ)
        if store is None:
            return None
        try:
            return await use(store)
        finally:
            await store.aclose()

    return bridge.run(run())


@click.command()
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(min=1),
    default=20,
    help="Maximum number of calls.",
)
@click.option("--after", type=int, help="Only calls after this id, the oldest first.")
@click.option("--receipt", help="Only calls with this receipt, as `_meta` names it.")
@click.option("-f", "--follow", is_flag=True, help="Show new calls as they are made.")
@with_output
def calls(output: Output, count: int, after: int | None, receipt: str | None, follow: bool) -> None:
    """Show the tools that were called on this machine, and the outcomes."""
    from webquarry.settings import Settings
    from webquarry.store.open import open_call_log

    settings = Settings.from_environment()
    log = open_call_log(settings, os.environ)
    if after is not None or receipt is not None:
        found = log.list_after(after or 0, count, receipt)
    else:
        found = log.list_latest(count)
    if not follow:
        lines = [_describe_call(call) for call in found] or ["No call is in the log."]
        answer = {"enabled": settings.call_log, "calls": [call.as_dict() for call in found]}
        output.show(answer, lambda: output.write("\n".join(lines)))
        return
    last = after or 0
    while True:
        for call in found:
            last = call.id
            line = json.dumps(call.as_dict()) if output.json else _describe_call(call)
            output.write(line)
        try:
            time.sleep(_POLL_SECONDS)
        except KeyboardInterrupt:
            return
        found = log.list_after(last)


def _describe_call(call: LoggedCall) -> str:
    """A call in one line: time, tool, first text argument and outcome."""
    subject = ""
    for value in call.arguments.values():
        if isinstance(value, str):
            text = one_line(value)
            text = text[:_SHOWN] + "..." if len(text) > _SHOWN else text
            subject = json.dumps(text, ensure_ascii=False)
            break
    facts = [f"{call.seconds:.3g} s"]
    if call.cached:
        facts.append("cached")
    facts += [f"{call.found} found"] if call.found else []
    facts += [f"{call.read} read"] if call.read else []
    if call.cost is not None:
        facts.append(f"${call.cost:.4f}")
    if call.outcome != "ok":
        facts.append(f"{call.outcome}: {call.message}".rstrip(": "))
    moment = datetime.fromtimestamp(call.at, UTC)
    line = f"{call.tool}  {subject}  {', '.join(facts)}  {call.receipt}"
    return f"{moment:%Y-%m-%d %H:%M:%S}  {one_line(line)}"
