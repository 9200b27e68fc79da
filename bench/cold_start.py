"""CPU time of a `webquarry read` of a recorded page, compared with `python -c pass` in the same run.

Prints the ratio of the smallest CPU times (user and system, child processes included) of
interleaved runs; fails above `--limit`. The interpreter is the one that runs this script, and
`webquarry` is installed beside it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import sysconfig
from pathlib import Path

ROUNDS = 9
PAGE = "https://tidelines.example/2026/09/storing-the-tide"


def cpu_seconds(command: list[str]) -> float:
    """CPU time of one run and its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = os.environ | {"WEBQUARRY_REPLAY": "demo"}
    subprocess.run(
        command, check=True, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=30.0)
    limit = parser.parse_args().limit
    program = str(Path(sysconfig.get_path("scripts")) / "webquarry")
    reading, nothing = [program, "read", PAGE], [sys.executable, "-c", "pass"]
    cpu_seconds(reading), cpu_seconds(nothing)  # warm the file cache and write the byte code
    pairs = [(cpu_seconds(reading), cpu_seconds(nothing)) for _ in range(ROUNDS)]
    read, bare = map(min, zip(*pairs, strict=True))
    print(f"webquarry read: {read * 1000:.0f} ms of CPU, python -c pass: {bare * 1000:.1f} ms")
    print(f"ratio: {read / bare:.1f} (at most {limit:g})")
    return 0 if read / bare <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
