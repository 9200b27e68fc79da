"""How much memory the processes of a browser take, and which page takes the most."""

from __future__ import annotations

import re
from pathlib import Path

_OWN_MEMORY = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_PAGE = b"--type=renderer"


def find_largest_page(processes: list[int], most_bytes: int) -> tuple[bool, int | None]:
    """Whether these processes take more than they may together, and the page process that takes
    the most; None where there is none.
    """
    total = largest = 0
    page: int | None = None
    for process in processes:
        size = measure_process(process)
        total += size
        if size > largest and _is_page(process):
            largest, page = size, process
    return total > most_bytes, page


def measure_process(process: int) -> int:
    """The bytes that a process has for itself; none of one that has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_bytes()
    except OSError:
        return 0
    return 1024 * sum(map(int, _OWN_MEMORY.findall(status)))


def _is_page(process: int) -> bool:
    try:
        return _PAGE in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
