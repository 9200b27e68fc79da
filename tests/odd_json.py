"""A JSON value -> the same with any part of it replaced by something else."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

JUNK: tuple[Any, ...] = (None, 7, -1, True, "x", [], {}, [None], {"x": []})
_MOST_FIELDS = 30
_MOST_MEMBERS = 2


def list_odd(value: Any) -> Iterator[Any]:
    """The value with each of its parts replaced by each thing that it should not be."""
    for path in _find_places(value):
        for junk in JUNK:
            yield _replace_at(value, path, junk)


def _find_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every part of a JSON value; of many members of one thing, some stand for all."""
    yield path
    if isinstance(value, dict):
        for name in list(value)[:_MOST_FIELDS]:
            yield from _find_places(value[name], (*path, name))
    if isinstance(value, list):
        for number, inner in enumerate(value[:_MOST_MEMBERS]):
            yield from _find_places(inner, (*path, number))


def _replace_at(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy in which the part at a path is something else."""
    if not path:
        return junk
    changed = copy.deepcopy(value)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = junk
    return changed
