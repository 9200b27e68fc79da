"""Limits of the browser: time, memory, crashes, idle timeout, and a kill of the parent process."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.read.browser.site import BROWSER, Reading, Site, needs_browser, serving
from webquarry.errors import WebquarryError

pytestmark = [needs_browser, pytest.mark.slow]

HEAD = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mill</title></head><body>'
GOOD = f"""{HEAD}<div id="a"></div><script>setTimeout(() => document.getElementById("a").innerHTML =
    "<h1>Mill</h1><p>The wheel turned eleven times a minute when the sluice was full.</p>", 300)
    </script>"""
FILES = {
    "/good.html": GOOD,
    "/busy.html": f'{HEAD}<div id="a"></div><script>setTimeout(() => {{ for (;;); }}, 50)</script>',
    "/late.html": f"""{HEAD}<div id="a"></div><script>document.getElementById("a").innerHTML =
        "<h1>Late</h1><p>These words stood there before the loop began.</p>";
        setTimeout(() => {{ for (;;); }}, 50)</script>""",
    "/hungry.html": f"""{HEAD}<div id="a"></div><script>const kept = [];
        setInterval(() => {{ const a = new Uint8Array(2e7); a.fill(1); kept.push(a); }}, 1);
        </script>""",
    "/nodes.html": f"""{HEAD}<div id="a"></div><script>setInterval(() => {{
        for (let i = 0; i < 5000; i++) {{ const p = document.createElement("p");
        p.title = "y".repeat(20000) + i; document.body.append(p, "x"); }} }}, 1);</script>""",
    "/ticks.html": f"""{HEAD}<h1>Log</h1><p id="a"></p><script>let n = 0; setInterval(() => {{
        document.getElementById("a").textContent = "Ticked " + n++; fetch("/good.html?n=" + n); }},
        50); fetch("/good.html?wait=60")</script>""",
}


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[Site, Reading]]:
    with serving(FILES, render_seconds=5, render_memory_mb=400) as pair:
        yield pair


def test_endless_loop_is_an_error_or_a_partial_page(
    web: tuple[Site, Reading],
) -> None:
    site, reading = web
    with pytest.raises(WebquarryError):
        reading.scrape(f"{site.origin}/busy.html")

    answer = reading.scrape(f"{site.origin}/late.html")

    assert "before the loop began" in answer["content"]
    assert answer["extractionQuality"] == "partial"


def test_page_that_never_settles_is_partial(web: tuple[Site, Reading]) -> None:
    site, reading = web

    answer = reading.scrape(f"{site.origin}/ticks.html")

    assert answer["extractionQuality"] == "partial"
    assert "before its scripts came to an end" in answer["extractionNote"]


@pytest.mark.parametrize("path", ["/hungry.html", "/nodes.html"])
def test_page_that_uses_too_much_memory_is_an_error_and_others_are_read(
    web: tuple[Site, Reading], path: str
) -> None:
    site, reading = web
    urls = [f"{site.origin}{path}", f"{site.origin}/good.html?{path}"]

    hungry, good = reading.scrape_all(urls)

    assert isinstance(hungry, WebquarryError)
    assert isinstance(good, dict)
    assert "eleven times a minute" in good["content"]


def test_pages_of_a_killed_browser_are_rendered_again(
    web: tuple[Site, Reading],
) -> None:
    site, reading = web
    renderer = reading.kit.renderer
    reading.scrape(f"{site.origin}/good.html?warm")

    async def kill_and_read() -> object:
        assert renderer._browser is not None
        process = renderer._browser.process.pid
        reading_it = asyncio.ensure_future(reading._scrape(f"{site.origin}/good.html?killed", {}))
        while not any("killed" in path for _, path, _ in site.asked):
            await asyncio.sleep(0.005)
        os.killpg(process, signal.SIGKILL)
        return await reading_it

    answer = reading.run(kill_and_read())

    assert "eleven times a minute" in str(answer)


def test_idle_browser_ends_and_removes_its_profile() -> None:
    with serving(FILES, render_idle_seconds=0.2) as (site, reading):
        reading.scrape(f"{site.origin}/good.html")
        renderer = reading.kit.renderer
        assert renderer._browser is not None
        process = renderer._browser.process

        async def wait_for_end() -> None:
            while process.list_processes() or process.profile.folder.exists():
                await asyncio.sleep(0.02)

        reading.run(asyncio.wait_for(wait_for_end(), 20))

        assert "eleven" in reading.scrape(f"{site.origin}/good.html?again")["content"]


READ_FOR_EVER = """
import asyncio, sys
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

async def main():
    settings = Settings(browser=sys.argv[2], allow_networks="127.0.0.2/31", cache_folder=sys.argv[3])
    async with Toolkit.open(settings, {}) as kit:
        for number in range(1000):
            url = f"{sys.argv[1]}/good.html?{number}"
            await load("research", "scrape_page").call(kit, {"url": url})
            print(number, flush=True)

asyncio.run(main())
"""


def list_browsers(folder: Path) -> list[int]:
    """Return the processes whose command line names a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"--user-data-dir={folder}".encode() in command:
            found.append(int(entry.name))
    return found


def test_browser_ends_with_a_killed_parent_process() -> None:
    chance = random.Random(7)
    place = Path(tempfile.mkdtemp(prefix="wq-kill-"))
    place.chmod(stat.S_IRWXU | stat.S_IXGRP | stat.S_IXOTH)
    site = Site(FILES)
    pages = 0
    try:
        while pages < 200:
            wanted = chance.choice((0, 0, 3, 10, 25))
            arguments = [sys.executable, "-c", READ_FOR_EVER, site.origin, str(BROWSER)]
            child = subprocess.Popen(
                [*arguments, str(place / "cache")],
                stdout=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(place)},
            )
            assert child.stdout is not None
            for _ in range(wanted):
                assert child.stdout.readline()
            time.sleep(chance.random())  # a random moment of the kill, also before a page
            child.kill()
            child.wait()
            child.stdout.close()
            pages += wanted + 1
            end = time.monotonic() + 2
            while list_browsers(place) and time.monotonic() < end:
                time.sleep(0.05)
            assert list_browsers(place) == []
    finally:
        site.close()
        subprocess.run(["rm", "-rf", str(place)], check=False)
