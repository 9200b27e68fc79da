"""How long discovery of 50 well-behaved tools takes, against twice the slowest of them plus the
start of 50 processes.

The ratio may not exceed 1 for tools that wait before they answer, where all the time is to be won
by asking them side by side. Tools that only compute keep the processors busy from the first to the
last, so that nothing can be won: for them the ratio shows what the host adds to merely running the
same programs. Each time is the best of three, and no tool may be lost to its one-second limit.

    python bench/tool_discovery.py
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from webquarry.host.discovery import discover, probe
from webquarry.host.models import Executable
from webquarry.settings import Settings

COUNT = 50
ENVIRON = {"PATH": "/usr/bin:/bin"}
SCHEMA = {"description": "Does nothing.", "parameters": {"type": "object", "properties": {}}}
WAITING = {
    "wait 0.1 to 0.4 s": ("/bin/sh", "sleep {wait}\necho '{schema}'\n"),
    "wait 0.4 s each": ("/bin/sh", "sleep 0.4\necho '{schema}'\n"),
}
COMPUTING = {
    "shell scripts": ("/bin/sh", "echo '{schema}'\n"),
    "Python programs": (sys.executable, "import argparse, json\nprint('''{schema}''')\n"),
}


def main() -> int:
    worst = max(measure_waiting(kind, *recipe) for kind, recipe in WAITING.items())
    for kind, recipe in COMPUTING.items():
        measure_computing(kind, *recipe)
    print(f"worst ratio of tools that wait: {worst:.2f} (at most 1)")
    return 0 if worst <= 1 else 1


def measure_waiting(kind: str, interpreter: str, script: str) -> float:
    with tempfile.TemporaryDirectory() as home:
        tools = write_tools(home, interpreter, script)
        slowest = best_of_three(lambda: ask(tools[-1]))
        starts = best_of_three(lambda: run_all([["/bin/sh", "-c", ":"]] * COUNT))
        seconds = best_of_three(lambda: discover_all(home))
    ratio = seconds / (2 * slowest + starts)
    print(
        f"{kind:18} discovery {seconds:.3f} s, slowest tool {slowest:.3f} s, "
        f"{COUNT} process starts {starts:.3f} s: ratio {ratio:.2f}"
    )
    return ratio


def measure_computing(kind: str, interpreter: str, script: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        tools = write_tools(home, interpreter, script)
        merely = best_of_three(lambda: run_all([[str(tool), "--schema"] for tool in tools]))
        seconds = best_of_three(lambda: discover_all(home))
    print(
        f"{kind:18} discovery {seconds:.3f} s, merely running them {merely:.3f} s: ratio "
        f"{seconds / merely:.2f}"
    )


def best_of_three(work: Callable[[], Coroutine[Any, Any, None]]) -> float:
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        asyncio.run(work())
        times.append(time.perf_counter() - begin)
    return min(times)


def write_tools(home: str, interpreter: str, script: str) -> list[Path]:
    folder = Path(home, ".ikigai", "tools")
    folder.mkdir(parents=True)
    paths = [folder / f"tool-{number:02}" for number in range(COUNT)]
    for number, path in enumerate(paths):
        schema = json.dumps({"name": f"tool_{number}", **SCHEMA})
        wait = 0.1 + 0.3 * number / (COUNT - 1)
        path.write_text(
            f"#!{interpreter}\n"
            + script.replace("{schema}", schema).replace("{wait}", f"{wait:.3f}")
        )
        path.chmod(0o755)
    return paths


async def ask(path: Path) -> None:
    assert (await probe(Executable(path, "user"), Settings(), ENVIRON)).schema


async def run_all(commands: list[list[str]]) -> None:
    """Run programs as asyncio does, as many at once as keeps the processors busy."""
    turn = asyncio.Semaphore(4 * (os.cpu_count() or 1))

    async def run(command: list[str]) -> None:
        async with turn:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=ENVIRON,
                start_new_session=True,  # the scheduler shares out the processors by session
            )
            await process.communicate()

    await asyncio.gather(*map(run, commands))


async def discover_all(home: str) -> None:
    settings = Settings(system_tools=Path(home, "none"), project_tools=Path(home, "none"))
    tools, skipped = await discover(settings, {**ENVIRON, "HOME": home})
    assert len(tools) == COUNT, [one.reason for one in skipped]


if __name__ == "__main__":
    sys.exit(main())
