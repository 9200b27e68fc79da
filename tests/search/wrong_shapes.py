"""A good answer in JSON -> the same with something else in the place of its list of hits, which no
provider may take for "nothing found".
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from webquarry.errors import WebquarryError

# In the place of a list, and in the place of its members.
WRONG: dict[str, Any] = {
    "object": {"a": 1},
    "empty object": {},
    "text": "none",
    "number": 3,
    "true": True,
    "numbers": [1, 2],
    "texts": ["a", "b"],
    "nulls": [None, None],
    "lists": [[], [1]],
    "empty objects": [{}, {}],
    "other objects": [{"a": 1}, {"b": {"c": []}}],
}
Path = tuple[str, ...]


def put_wrong_hits(answer: dict[str, Any], count: Callable[[Any], int]) -> list[tuple[str, Any]]:
    """Every wrong form of an answer. The hits are the list without which nothing is counted."""
    (path,) = [path for path in _find_lists(answer) if _count(count, _put(answer, path, [])) < 1]
    return [(name, _put(answer, path, wrong)) for name, wrong in WRONG.items()]


def _find_lists(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of the lists of objects, members of lists aside."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _find_lists(member, (*path, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict | str):
        yield path


def _count(count: Callable[[Any], int], answer: Any) -> int:
    try:
        return count(answer)
    except WebquarryError:
        return -1


def _put(answer: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(answer)
    place = changed
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return changed
