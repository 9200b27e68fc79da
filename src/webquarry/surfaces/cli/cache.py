"""`webquarry cache`: how much is kept on disk, and how to forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from webquarry.cache.disk import DiskStore

app = typer.Typer(help="What is kept on disk for a while: how much there is, and how to forget it.")


@app.command()
def stats(as_json: AsJson = None) -> None:
    """Say where the cache is and how much is in it."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        report = bridge.run(_measure_cache())
        state = "on" if report["enabled"] else "off (WEBQUARRY_CACHE=0)"
        size = f"{report['entries']} answers, {report['bytes']} of {report['maxBytes']} bytes"
        line = one_line(f"The cache is {state}: {size}, in {report['place']}")
        output.show(report, lambda console: console.print(line, soft_wrap=True))


@app.command()
def clear(as_json: AsJson = None) -> None:
    """Forget everything that is kept. Sessions and other records are elsewhere, and stay."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        cleared = bridge.run(_clear_cache())
        line = f"{cleared} answers were forgotten."
        output.show({"cleared": cleared}, lambda console: console.print(line))


async def _measure_cache() -> dict[str, Any]:
    """Where the cache is and what it holds, as JSON."""
    from webquarry.settings import Settings

    settings = Settings.from_environment()
    report = {
        "enabled": settings.cache,
        "entries": 0,
        "bytes": 0,
        "place": "",
        "maxBytes": settings.cache_max_bytes,
    }
    store = _open_store()
    if store is not None:
        report["place"] = str(store.path)
        if store.path.exists():  # to look must not make it
            stats = await store.stats()
            report["entries"] = stats.entries
            report["bytes"] = stats.bytes
        await store.aclose()
    return report


async def _clear_cache() -> int:
    """Forget everything; how many answers that were comes back."""
    store = _open_store()
    if store is None:
        return 0
    cleared = 0
    if store.path.exists():
        cleared = await store.clear()
    await store.aclose()
    return cleared


def _open_store() -> DiskStore | None:
    import os

    from webquarry.cache.open import open_disk
    from webquarry.settings import Settings

    return open_disk(Settings.from_environment(), os.environ)
