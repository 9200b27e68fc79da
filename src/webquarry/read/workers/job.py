"""What is asked of a worker process: a job by its name, with arguments that fit into JSON and a
body of bytes; bytes come back.

`JOBS` is the one place where jobs are registered: a name and the function that does it, which is
imported by whoever does the first job of that name. A function takes the job, and gives bytes or
raises.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

JOBS = {
    "read page": "webquarry.read.page_jobs:read_page",
    "judge reply": "webquarry.read.page_jobs:judge_reply",
    "take snapshot": "webquarry.pages.jobs:take_snapshot",
    "take raw snapshot": "webquarry.pages.jobs:take_raw_snapshot",
    "take words": "webquarry.pages.jobs:take_words",
    "describe page": "webquarry.pages.jobs:describe",
    "score page": "webquarry.pages.jobs:score",
    "read patent": "webquarry.evidence.page.patent_page:read_patent_page",
    "cut page": "webquarry.tools.research.scrape_page:cut_page",
    "index page": "webquarry.library.indexing:index_in_job",
    "build sources": "webquarry.tools.research._sources:build_packed_sources",
    "check quotes": "webquarry.tools.research.check_quotes:check_in_job",
    "read document": "webquarry.testing.jobs:read_document",
    "burn time": "webquarry.testing.jobs:burn_time",
    "take memory": "webquarry.testing.jobs:take_memory",
    "fail": "webquarry.testing.jobs:fail",
}

# What most pages need, loaded before there is one.
_PRELOAD = "webquarry.pages.preload:preload"
LARGE = 1_000_000  # bytes; hardly any page has as many, and what is smaller never waits for others


def is_large(size: int) -> bool:
    """Whether work on so many bytes is done one at a time."""
    return size >= LARGE


@dataclass(frozen=True)
class Job:
    """One piece of work on something from the web."""

    name: str  # in `JOBS`
    arguments: dict[str, Any] = field(default_factory=dict)
    parts: bytes | tuple[bytes, ...] = b""  # the body, which may be in pieces
    subject: str = "The page"  # what an error is about: a URL without secrets
    # Whether it may never be done in a thread of ours: libraries that parse binary files are known
    # to crash.
    isolated: bool = False
    ahead: bool = False  # before what has not begun: it completes a call
    behind: bool = False  # after all that wait: no call waits for it

    @property
    def pieces(self) -> tuple[bytes, ...]:
        """The body in the pieces in which it is there."""
        if isinstance(self.parts, bytes):
            return (self.parts,)
        return self.parts

    @property
    def body(self) -> bytes:
        """The body in one piece."""
        first, *others = self.pieces or (b"",)
        if not any(others):
            return first  # as mostly, which need not be copied
        return b"".join(self.pieces)

    @property
    def is_large(self) -> bool:
        """Whether it waits until no other large one of the same caller is being done."""
        if isinstance(self.parts, bytes):
            return len(self.parts) >= LARGE
        return sum(map(len, self.parts)) >= LARGE


JobFunction = Callable[[Job], bytes]


@dataclass(frozen=True)
class WorkerLimits:
    """How much one job may cost, and how long a process is kept. On Windows only the wall clock is
    watched.
    """

    memory_bytes: int = 1 << 30  # of address space
    cpu_seconds: float = 20
    jobs: int = 1000  # after so many a process is replaced
    resident_bytes: int = 300_000_000  # a process that has grown beyond is replaced too
    idle_seconds: float = 60

    @property
    def wall_seconds(self) -> float:
        """Others may have the processor meanwhile; whoever hangs uses none of it."""
        return 10 + 3 * self.cpu_seconds


@cache
def find_function(name: str) -> JobFunction:
    """What does the jobs of a name."""
    found: JobFunction = _import_function(JOBS[name])
    return found


def load_what_pages_need(times: int = 1) -> None:
    """Load formats, weights, tables and stemmers, so that the first page need not wait for them, by
    reading a page so many times.
    """
    _import_function(_PRELOAD)(times)


def _import_function(name: str) -> Callable[..., Any]:
    """A function by its module and its name. Jobs belong to rooms above this one."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def run_job(job: Job) -> bytes:
    """Do a job here."""
    return find_function(job.name)(job)
