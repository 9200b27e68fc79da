"""Values of any type -> the cells of a table, cut where they are long."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webquarry.notebook.inline import Inline, Link
from webquarry.notebook.view import View
from webquarry.reprs.counts import count_noun

_MOST_ROWS = 50
_MOST_LETTERS = 300
_NUMBER_TYPES = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "NUMBER", "REAL")


def add_rows(
    view: View, columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[bool]
) -> None:
    """A table of the first rows, and how many more there are."""
    shown = [[write_cell(value) for value in row] for row in rows[:_MOST_ROWS]]
    view.add_table(columns, shown, numbers)
    left = len(rows) - len(shown)
    more = f"{left:,} more are in .rows" if left else None
    view.add_facts([count_noun(len(rows), "row"), more])


def is_number_type(name: str) -> bool:
    """Whether the values of a SQL type are numbers."""
    bare = name.upper()
    is_nested = any(sign in bare for sign in "[(") and not bare.startswith("DECIMAL")
    return not is_nested and any(word in bare for word in _NUMBER_TYPES) and bare != "INTERVAL"


def write_cell(value: Any) -> list[Inline]:
    """A value in one line; an address of the web is a link, and so is each source."""
    if value is None:
        return [""]
    if isinstance(value, str):
        return [_link_address(value)]
    if isinstance(value, list) and value and all(map(_is_source, value)):
        parts: list[Inline] = []
        for source in value:
            separator = [" · "] if parts else []
            parts.extend([*separator, Link(source["title"] or source["url"], source["url"])])
        return parts
    if isinstance(value, Mapping | list | tuple):
        return [_cut(json.dumps(value, ensure_ascii=False, default=str))]
    if isinstance(value, bytes):
        return [f"{len(value):,} bytes"]
    return [_cut(str(value))]


def _link_address(text: str) -> Inline:
    is_address = text.startswith(("http://", "https://")) and not any(map(str.isspace, text))
    if is_address:
        return Link(_cut(text), text)
    return _cut(text)


def _is_source(value: Any) -> bool:
    """Whether it is a title with an address."""
    if not isinstance(value, Mapping) or value.keys() != {"title", "url"}:
        return False
    return isinstance(value["url"], str) and isinstance(value["title"], str | None)


def _cut(text: str) -> str:
    if len(text) <= _MOST_LETTERS:
        return text
    return f"{text[:_MOST_LETTERS]} ..."
