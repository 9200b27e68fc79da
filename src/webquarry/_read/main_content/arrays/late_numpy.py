"""numpy, loaded when something of it is first asked for.

What is compiled does without it, and so do the processes that read pages: it takes some 20 MB and
starts threads. Where nothing is compiled, and where models are trained, it does the same work.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LateNumpy:
    """Has the names of numpy."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module("numpy"), name)
        setattr(self, name, found)
        return found


np = LateNumpy()
