"""Jobs that process web content, and the interface of their runners.

    @job("take words")
    def take_words(job: Job) -> bytes: ...

    packed = await runner.run(Job(take_words, {"url": url}, body))

A job is a registered function with JSON arguments and a body of bytes. A worker process imports the
module of a function when it receives the first job for it. A module that defines jobs imports heavy
code inside its functions, so that callers can import it cheaply.
"""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

LARGE = 1_000_000  # bytes; larger jobs of one caller run one at a time

JobFunction = Callable[["Job"], bytes]
# `workers` for long-lived processes, `fork` for programs that read a page and exit.
RunnerKind = Literal["workers", "fork", "threads"]

_functions: dict[str, JobFunction] = {}  # by module and name
_names: dict[JobFunction, str] = {}


def job(name: str) -> Callable[[JobFunction], JobFunction]:
    """Register a module-level function as a job. The name appears in metrics and traces."""

    def register(function: JobFunction) -> JobFunction:
        _functions[f"{function.__module__}:{name}"] = function
        _names[function] = name
        return function

    return register


@dataclass(frozen=True)
class Job:
    """A call of a registered function."""

    function: JobFunction
    arguments: dict[str, Any] = field(default_factory=dict)
    parts: bytes | tuple[bytes, ...] = b""  # the body, in one or several pieces
    subject: str = "The page"  # what errors are about: a URL without secrets
    isolated: bool = False  # never run in a thread: parsers of binary files may crash
    ahead: bool = False  # run before waiting jobs: it completes a call

    @property
    def name(self) -> str:
        """The registered name of the function."""
        return _names[self.function]

    @property
    def reference(self) -> str:
        """Module and name, for `find_function` in another process."""
        return f"{self.function.__module__}:{self.name}"

    @property
    def pieces(self) -> tuple[bytes, ...]:
        """The body as a tuple of pieces."""
        if isinstance(self.parts, bytes):
            return (self.parts,)
        return self.parts

    @property
    def body(self) -> bytes:
        """The body in one piece."""
        first, *others = self.pieces or (b"",)
        if not any(others):
            return first  # avoid a copy
        return b"".join(self.pieces)

    @property
    def is_large(self) -> bool:
        """Whether it waits for other large jobs of the same caller."""
        return sum(map(len, self.pieces)) >= LARGE


def find_function(reference: str) -> JobFunction:
    """Return the job function of a reference, importing its module if necessary.

    Raises KeyError if the module registers no such job.
    """
    if reference not in _functions:
        importlib.import_module(reference.partition(":")[0])
    return _functions[reference]


def run_job(job: Job) -> bytes:
    """Run a job in this process."""
    return job.function(job)


@dataclass(frozen=True)
class WorkerLimits:
    """Limits of one job and lifetime of a worker process. Windows only has the wall clock limit."""

    memory_bytes: int = 1 << 30  # address space
    cpu_seconds: float = 20
    resident_bytes: int = 300_000_000  # a worker with more resident memory is replaced
    idle_seconds: float = 60

    @property
    def wall_seconds(self) -> float:
        """Wall clock limit of a job; other processes may use the CPU in the meantime."""
        return 10 + 3 * self.cpu_seconds


class JobRunner(ABC):
    """Runs jobs for the tasks of one event loop."""

    @abstractmethod
    async def run(self, job: Job) -> bytes:
        """Run a job and return its result. Cancellation cancels the job."""

    def prepare(self, pages: int = 1) -> None:  # noqa: B027 - optional
        """Start to get ready for pages that are being fetched."""

    @abstractmethod
    async def aclose(self) -> None:
        """Cancel running jobs and release resources."""


def count_cores() -> int:
    """Return the number of cores that this process may use, PYTHON_CPU_COUNT if it is set."""
    count = os.environ.get("PYTHON_CPU_COUNT", "")
    if count.isdecimal():
        return int(count) or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether the system has worker processes, which are forks of a fork server."""
    return hasattr(os, "fork")
