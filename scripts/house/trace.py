"""A real call of a tool on the recorded web -> the functions of ours that it went through.

`Trace.calls` is every function in the order of its first call, with the name of the class it was
called on and of all that class's bases (`Brave.build_request`, `Provider.build_request`).
`Trace.frames` is what stood on the stack, from `Tool.call` on, when the transport was first asked;
a task is followed to whoever began it.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import webquarry
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

OURS = str(Path(webquarry.__file__).parent)
FIRST = "Tool.call"
LAST = "handle_async_request"


@dataclass
class Trace:
    """What one call went through."""

    calls: list[frozenset[str]] = field(default_factory=list)  # the names of each function
    frames: list[str] = field(default_factory=list)  # from `Tool.call` to the transport

    def place_of(self, name: str) -> int | None:
        """When a function was first called, counted from 0; None if it was not."""
        for place, names in enumerate(self.calls):
            if name in names:
                return place
        return None


def trace_tool(toolset: str, name: str, arguments: dict[str, Any]) -> Trace:
    """Call a tool on the recorded web, with a cache of its own that is empty."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            replay=Path("demo"), cache_folder=Path(folder), state_folder=Path(folder)
        )
        tracer = _Tracer()
        threading.setprofile(tracer.observe)
        try:
            asyncio.run(_call(tracer, settings, load(toolset, name), arguments))
        finally:
            threading.setprofile(None)
    return tracer.trace


async def _call(tracer: _Tracer, settings: Settings, tool: Any, arguments: dict[str, Any]) -> None:
    asyncio.get_running_loop().set_task_factory(tracer.begin_task)
    async with Toolkit.open(settings, {}) as kit:
        sys.setprofile(tracer.observe)
        try:
            await tool.call(kit, arguments)
        finally:
            sys.setprofile(None)
            asyncio.get_running_loop().set_task_factory(None)


class _Tracer:
    """Hears of every call, and remembers on whose behalf a task was begun."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._seen: set[tuple[Any, type | None]] = set()
        self._begun_by: dict[asyncio.Task[Any] | None, list[str]] = {}

    def begin_task(self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> Any:
        """Begin a task as a loop does, and keep the stack that it was begun from."""
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
        self._begun_by[task] = self._stack(sys._getframe(1))
        return task

    def observe(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(OURS):
            return
        owner = _owner_of(frame)
        if (code, owner) not in self._seen:
            self._seen.add((code, owner))
            self.trace.calls.append(_names_of(frame, owner))
        if code.co_name == LAST and not self.trace.frames:
            self.trace.frames = self._stack(frame)

    def _stack(self, frame: FrameType | None) -> list[str]:
        """Our frames from `Tool.call` down to this one."""
        names: list[str] = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(OURS):
                names.append(frame.f_code.co_qualname)
            if frame.f_code.co_qualname == FIRST:
                return names[::-1]
            frame = frame.f_back
        earlier = self._begun_by.get(asyncio.current_task(), [])
        return earlier + names[::-1]


def _owner_of(frame: FrameType) -> type | None:
    """The class that a method was called on."""
    me = frame.f_locals.get("self", frame.f_locals.get("cls"))
    if me is None:
        return None
    return me if isinstance(me, type) else type(me)


def _names_of(frame: FrameType, owner: type | None) -> frozenset[str]:
    name = frame.f_code.co_name
    if owner is None:
        return frozenset({f"{name}()"})
    return frozenset(f"{kind.__name__}.{name}" for kind in owner.__mro__)
