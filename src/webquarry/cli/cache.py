"""`webquarry cache`: how much is kept on disk, and how to forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from webquarry.store.disk_cache import DiskStore

app = typer.Typer(help="What is kept on disk for a while: how much there is, and how to forget it.")


@app.command()
def stats(as_json: AsJson = None) -> None:
    """Say where the cache is and how much is in it."""
    with command_output(as_json) as output:
        from webquarry.settings import Settings
        from webquarry.surfaces.bridge import bridge

        settings = Settings.from_environment()
        report: dict[str, Any] = {
            "enabled": settings.cache,
            "entries": 0,
            "bytes": 0,
            "place": "",
            "maxBytes": settings.cache_max_bytes,
        }

        async def measure() -> None:
            store = _open_store()
            if store is None:
                return
            report["place"] = str(store.path)
            if store.path.exists():  # to look must not make it
                stats = await store.stats()
                report["entries"] = stats.entries
                report["bytes"] = stats.bytes
            await store.aclose()

        bridge.run(measure())
        state = "on" if report["enabled"] else "off (WEBQUARRY_CACHE=0)"
        size = f"{report['entries']} answers, {report['bytes']} of {report['maxBytes']} bytes"
        line = one_line(f"The cache is {state}: {size}, in {report['place']}")
        output.show(report, lambda console: console.print(line, soft_wrap=True))


@app.command()
def clear(as_json: AsJson = None) -> None:
    """Forget everything that is kept. Sessions and other records are elsewhere, and stay."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        async def forget_all() -> int:
            store = _open_store()
            if store is None:
                return 0
            count = 0
            if store.path.exists():
                count = await store.clear()
            await store.aclose()
            return count

        cleared = bridge.run(forget_all())
        line = f"{cleared} answers were forgotten."
        output.show({"cleared": cleared}, lambda console: console.print(line))


def _open_store() -> DiskStore | None:
    import os

    from webquarry.settings import Settings
    from webquarry.store.open import open_disk_cache

    return open_disk_cache(Settings.from_environment(), os.environ)
