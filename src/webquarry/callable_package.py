"""A package of ours that shares its name with a function of the library -> one that can be called.

`webquarry.search` and `webquarry.read` are both: folders of the engine, which Python puts into our
namespace as soon as something of them is imported, and the functions that users call. So the
folders do what the functions do.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that does, when it is called, what the library's function of its name does."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """See `webquarry.surfaces.library` and docs/library.md."""
        return _find_function(self)(*arguments, **options)

    @property
    def __signature__(self) -> Any:
        return importlib.import_module("inspect").signature(_find_function(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, as functions are, so that other processes can be told to call it."""
        return importlib.import_module, (self.__name__,)


def make_callable(package: str) -> None:
    """Let a package that is being imported be called as the function of its name."""
    sys.modules[package].__class__ = CallablePackage


def _find_function(package: ModuleType) -> Any:
    library = importlib.import_module("webquarry.surfaces.library")
    return getattr(library, package.__name__.rpartition(".")[2])
