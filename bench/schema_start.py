"""How fast `--schema` answers: web-search-brave-tool --schema against `python -c pass`, in the same
run.

Prints the ratio of the median wall times of interleaved starts; fails above 3. `python -c pass` is
the interpreter that runs this script, and the tool is the one installed beside it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROUNDS = 31
LIMIT = 3.0


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    suffix = ".exe" if sys.platform == "win32" else ""
    tool = [str(Path(sysconfig.get_path("scripts")) / f"web-search-brave-tool{suffix}"), "--schema"]
    nothing = [sys.executable, "-c", "pass"]
    seconds(tool), seconds(nothing)  # warm the file cache and write the byte code
    pairs = [(seconds(tool), seconds(nothing)) for _ in range(ROUNDS)]
    with_tool, bare = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"web-search-brave-tool --schema: {with_tool * 1000:.1f} ms, python -c pass: "
        f"{bare * 1000:.1f} ms"
    )
    print(f"ratio: {with_tool / bare:.2f} (at most {LIMIT:g})")
    return 0 if with_tool / bare <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
