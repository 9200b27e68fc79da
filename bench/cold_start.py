"""User CPU of commands and their child processes, compared with `python -c pass` in the same run.

Prints the ratio of the mean times of interleaved runs for `webquarry --help`, a search and a
read on the recorded web; fails if one is above its limit. `webquarry` is the one installed beside
the interpreter that runs this script.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import sysconfig
from pathlib import Path

ROUNDS = 9
PAGE = "https://tidelines.example/2026/09/storing-the-tide"
# Command -> highest ratio to `python -c pass`.
LIMITS = {
    ("--help",): 9.0,
    ("search", "tidal energy storage"): 60.0,
    ("read", PAGE): 110.0,
}


def user_seconds(command: list[str]) -> float:
    """User CPU time of one run and its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        command,
        check=True,
        env=os.environ | {"WEBQUARRY_REPLAY": "demo"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> int:
    program = str(Path(sysconfig.get_path("scripts")) / "webquarry")
    commands: dict[tuple[str, ...], list[str]] = {("pass",): [sys.executable, "-c", "pass"]}
    commands |= {arguments: [program, *arguments] for arguments in LIMITS}
    total = dict.fromkeys(commands, 0.0)
    for number in range(ROUNDS + 1):  # the first run writes the byte code
        for arguments, command in commands.items():
            seconds = user_seconds(command)
            total[arguments] += seconds if number else 0.0
    best = {arguments: seconds / ROUNDS for arguments, seconds in total.items()}
    bare = best.pop(("pass",))
    print(f"python -c pass: {bare * 1000:.1f} ms of user CPU")
    for arguments, seconds in best.items():
        ratio, limit = seconds / bare, LIMITS[arguments]
        print(f"{arguments[0]}: {seconds * 1000:.0f} ms, {ratio:.1f} x (at most {limit:g})")
    return int(any(seconds / bare > LIMITS[name] for name, seconds in best.items()))


if __name__ == "__main__":
    sys.exit(main())
