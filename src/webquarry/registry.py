"""How a folder of siblings is discovered: dropping a file into it is the registration."""

from __future__ import annotations

import importlib
import inspect
import logging
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from typing import TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)


@cache
def module_names(package: str) -> list[str]:
    """The modules of a package folder by name, sorted; nothing is imported but the package itself."""
    folder = importlib.import_module(package).__path__
    return sorted(
        module.name for module in pkgutil.iter_modules(folder) if not module.name.startswith("_")
    )


def members_of(package: str, kind: type[T], group: str | None = None) -> list[type[T]]:
    """Every concrete subclass of `kind` defined in the package's modules, then those that other
    packages announce under the entry point `group`; a later one of the same module path is not
    listed twice.
    """
    modules = [importlib.import_module(f"{package}.{name}") for name in module_names(package)]
    found = [
        member
        for module in modules
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__
        and issubclass(member, kind)
        and not inspect.isabstract(member)
    ]
    return list(dict.fromkeys([*found, *(_plugins(group, kind) if group else [])]))


def _plugins(group: str, kind: type[T]) -> list[type[T]]:
    """What other packages announce. One that cannot be loaded costs nobody but itself."""
    found = []
    for point in entry_points(group=group):
        try:
            member = point.load()
        except Exception as error:
            log.warning("the plug-in %s (%s) cannot be loaded: %s", point.name, point.value, error)
            continue
        if inspect.isclass(member) and issubclass(member, kind) and not inspect.isabstract(member):
            found.append(member)
        else:
            log.warning(
                "the plug-in %s (%s) is no %s and is left out",
                point.name,
                point.value,
                kind.__name__,
            )
    return found
