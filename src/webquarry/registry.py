"""Discovery of the members of a package: a file dropped into the folder is registered."""

from __future__ import annotations

import importlib
import inspect
import logging
import pkgutil
from functools import cache
from typing import TypeGuard, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)


@cache
def module_names(package: str) -> list[str]:
    """Return the sorted names of the public modules of a package, without importing them."""
    folder = importlib.import_module(package).__path__
    names = [module.name for module in pkgutil.iter_modules(folder)]
    return sorted(name for name in names if not name.startswith("_"))


def members_of(package: str, kind: type[T], group: str | None = None) -> list[type[T]]:
    """Return the concrete subclasses of `kind` that the modules of a package define, followed by
    those that other packages register under the entry point `group`.
    """
    members: list[type[T]] = []
    for name in module_names(package):
        module = importlib.import_module(f"{package}.{name}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            is_defined_here = member.__module__ == module.__name__
            if is_defined_here and _is_member(member, kind):
                members.append(member)
    if group:
        members += _load_plugins(group, kind)
    return list(dict.fromkeys(members))


def _is_member(value: object, kind: type[T]) -> TypeGuard[type[T]]:
    """Whether the value is a concrete subclass."""
    if not inspect.isclass(value):
        return False
    return issubclass(value, kind) and not inspect.isabstract(value)


def _load_plugins(group: str, kind: type[T]) -> list[type[T]]:
    """Load the plug-ins of other packages; log those that fail to load."""
    from importlib.metadata import entry_points

    plugins: list[type[T]] = []
    for point in entry_points(group=group):
        try:
            member = point.load()
        except Exception as error:
            log.warning("plug-in %s (%s) cannot be loaded: %s", point.name, point.value, error)
            continue
        if _is_member(member, kind):
            plugins.append(member)
        else:
            log.warning(
                "plug-in %s (%s) is not a %s and is ignored",
                point.name,
                point.value,
                kind.__name__,
            )
    return plugins
