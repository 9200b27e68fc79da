"""Door: `webquarry cache`, what is kept on disk: how much there is, and how to forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from webquarry.surfaces.cli.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from webquarry.cache.disk import DiskStore

app = typer.Typer(help="What is kept on disk for a while: how much there is, and how to forget it.")


@app.command()
def stats(as_json: AsJson = None) -> None:
    """Say where the cache is and how much is in it."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        report = bridge.run(_stats())
        state = "off (WEBQUARRY_CACHE=0)"
        if report["enabled"]:
            state = "on"
        said = f"{report['entries']} answers, {report['bytes']} of {report['maxBytes']} bytes, in {report['place']}"
        output.show(
            report,
            lambda console: console.print(
                one_line(f"The cache is {state}: {said}"), soft_wrap=True
            ),
        )


@app.command()
def clear(as_json: AsJson = None) -> None:
    """Forget everything that is kept. Sessions and other records are elsewhere, and stay."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        cleared = bridge.run(_clear())
        output.show(
            {"cleared": cleared},
            lambda console: console.print(f"{cleared} answers were forgotten."),
        )


async def _stats() -> dict[str, Any]:
    from webquarry.settings import Settings

    settings = Settings.from_environment()
    store, found = _store(), {"entries": 0, "bytes": 0, "place": ""}
    if store is not None:
        found["place"] = str(store.path)
        if store.path.exists():  # to look must not make it
            held = await store.stats()
            found |= {"entries": held.entries, "bytes": held.bytes}
        await store.aclose()
    return {"enabled": settings.cache, **found, "maxBytes": settings.cache_max_bytes}


async def _clear() -> int:
    store = _store()
    if store is None:
        return 0
    cleared = await store.clear() if store.path.exists() else 0
    await store.aclose()
    return cleared


def _store() -> DiskStore | None:
    import os

    from webquarry.cache.open import open_disk
    from webquarry.settings import Settings

    return open_disk(Settings.from_environment(), os.environ)
