"""`webquarry cache`: size of the cache on disk, and clearing it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from webquarry.cli.options import AsJson, new_group
from webquarry.cli.output import command_output

if TYPE_CHECKING:
    from webquarry.store.disk_cache import DiskStore

app = new_group("Show the size of the cache, or clear it.", no_args_is_help=True)


@app.command()
def stats(as_json: AsJson = None) -> None:
    """Show where the cache is and its size."""
    with command_output(as_json) as output:
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

        _use_store(measure)
        state = "on" if report["enabled"] else "off (WEBQUARRY_CACHE=0)"
        size = f"{report['entries']} answers, {report['bytes']} of {report['maxBytes']} bytes"
        output.show_line(report, f"The cache is {state}: {size}, in {report['place']}")


@app.command()
def clear(as_json: AsJson = None) -> None:
    """Delete all cached answers. Sessions and other records are not in the cache."""
    with command_output(as_json) as output:

        async def forget_all(store: DiskStore) -> int:
            return await store.clear() if store.path.exists() else 0

        cleared = _use_store(forget_all) or 0
        output.show_line({"cleared": cleared}, f"{cleared} answers were forgotten.")


def _use_store(use: Callable[[DiskStore], Awaitable[Any]]) -> Any:
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
