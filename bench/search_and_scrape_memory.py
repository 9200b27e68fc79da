"""The memory that `search_and_scrape` takes for ten large pages, on loopback: against one such page
in the same run.

Each measure is a process of its own: it gets ready, notes what it has, calls the tool, and tells
the most it ever had beyond that, and the most that a worker had. Ten pages of 7 MB that wait to be
read are 70 MB already; they are then read one at a time, so that all of them take what one takes
and their own bytes a few times, and not ten times as much. Nothing leaves the machine.

    python bench/search_and_scrape_memory.py
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from search_and_scrape import HOSTS, QUERY, environment, serving

from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

PAGE_BYTES = 7_000_000
LIMIT = 3.0  # times the bytes of all pages, beyond what one page alone takes
TIMEOUT = 600  # seconds; a slow machine is not what is measured


def main() -> int:
    if sys.argv[1:]:
        asyncio.run(call(int(sys.argv[1]), int(sys.argv[2])))
        return 0
    if not Path("/proc/self/status").exists():
        print("skipped: the most memory that a process ever had is told by Linux only")
        return 0
    with serving(PAGE_BYTES) as port:
        one, all_of_them = (taken_by(port, count) for count in (1, len(HOSTS)))
    goal = one + LIMIT * len(HOSTS) * PAGE_BYTES / 1_000_000
    good = all_of_them <= goal
    print(
        f"{len(HOSTS)} pages of {PAGE_BYTES / 1_000_000:.0f} MB: {all_of_them:.0f} MB; one "
        f"alone: {one:.0f} MB "
        f"({all_of_them / one:.1f} times); goal {goal:.0f} MB: {'met' if good else 'MISSED'}"
    )
    return 0 if good else 1


def taken_by(port: int, count: int) -> float:
    """The megabytes that a process took to read so many pages."""
    command = [sys.executable, __file__, str(port), str(count)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


async def call(port: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        environ = environment(port, Path(folder))
        settings = Settings.from_environment(environ).replace(call_timeout_seconds=TIMEOUT)
        async with Toolkit.open(settings, environ, runner="workers") as kit:
            before = kilobytes("VmRSS")
            answer = await load("research", "search_and_scrape").call(
                kit, {"query": f"{QUERY} 1", "num_results": count}
            )
            shown = answer.as_dict()
            assert len(shown["sources"]) == count, shown["scrapeFailures"]
    # The worker that has taken the most: large pages are read one at a time.
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print((kilobytes("VmHWM") - before + worker) / 1000)


def kilobytes(name: str) -> int:
    """What the system says of this process: what it has now (`VmRSS`), or the most it ever had
    (`VmHWM`).
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    sys.exit(main())
