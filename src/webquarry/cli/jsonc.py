"""JSON with comments and trailing commas, as editors write it.

`parse` returns the value, `set_member` the text with one member set and the rest unchanged. Both
raise ValueError for invalid JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_SCALAR = re.compile(r"[^\s,\]}/\"{\[:]+")
_MOST_DEPTH = 200
_INDENT = "  "


@dataclass
class _Node:
    """A value and its position in the text."""

    value: Any
    start: int
    end: int
    members: dict[str, _Node] = field(default_factory=dict)


def parse(text: str) -> Any:
    """Parse a text; an empty text is an empty object."""
    return _parse_whole(text).value


def set_member(text: str, path: Sequence[str], value: Any) -> str:
    """Set the member at `path`, and create the objects above it if they are missing."""
    if not _parse_whole(text).end:  # nothing but space and comments
        text = f"{text.rstrip()}\n{{}}\n".lstrip()
    root = _parse_whole(text)
    node = root
    for depth, name in enumerate(path):
        if not isinstance(node.value, dict):
            raise ValueError(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        member = node.members.get(name)
        if member is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _add_member(text, node, name, value, _INDENT * (depth + 1))
        node = member
    written = _write(value, _INDENT * len(path))
    return text[: node.start] + written + text[node.end :]


def _write(value: Any, indent: str) -> str:
    """Serialize a value to indented lines."""
    written = json.dumps(value, indent=len(_INDENT), ensure_ascii=False)
    return written.replace("\n", f"\n{indent}")


def _add_member(text: str, node: _Node, name: str, value: Any, indent: str) -> str:
    """Add a member at the end of an object."""
    member = f"{json.dumps(name, ensure_ascii=False)}: {_write(value, indent)}"
    closing = node.end - 1
    if not node.members:
        # Keep whitespace and comments in the braces.
        inside = text[node.start + 1 : closing].rstrip()
        return f"{text[: node.start + 1]}{inside}\n{indent}{member}\n{indent[2:]}{text[closing:]}"
    last = max(found.end for found in node.members.values())
    behind = text[last:closing]
    space = _SPACE.match(behind)
    has_comma = space is not None and behind[space.end() :].startswith(",")
    comma = "" if has_comma else ","
    rest = behind.rstrip()
    # A comment after the last member belongs to it.
    added = f"{text[:last]}{comma}{rest}\n{indent}{member}"
    return f"{added}\n{indent[2:]}{text[closing:]}"


def _parse_whole(text: str) -> _Node:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return _Node({}, 0, 0)
    node = _parse_value(text, start, 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise ValueError(_describe(text, end))
    return node


def _skip(text: str, start: int) -> int:
    """Position after whitespace and comments."""
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _describe(text: str, place: int) -> str:
    return f"line {text.count(chr(10), 0, place) + 1} is not JSON"


def _parse_value(text: str, start: int, depth: int) -> _Node:
    if depth > _MOST_DEPTH:
        raise ValueError("it is nested too deeply")
    sign = text[start : start + 1]
    if sign == "{":
        return _parse_object(text, start, depth)
    if sign == "[":
        return _parse_array(text, start, depth)
    found = (_STRING if sign == '"' else _SCALAR).match(text, start)
    if found is None:
        raise ValueError(_describe(text, start))
    try:
        return _Node(json.loads(found[0]), start, found.end())
    except ValueError:
        raise ValueError(_describe(text, start)) from None


def _parse_object(text: str, start: int, depth: int) -> _Node:
    node = _Node({}, start, start)
    place = _skip(text, start + 1)
    while text[place : place + 1] != "}":
        found = _STRING.match(text, place)
        if found is None:
            raise ValueError(_describe(text, place))
        name = json.loads(found[0])
        colon = _skip(text, found.end())
        if text[colon : colon + 1] != ":":
            raise ValueError(_describe(text, colon))
        member = _parse_value(text, _skip(text, colon + 1), depth + 1)
        node.value[name] = member.value
        node.members[name] = member
        place = _skip_comma(text, member.end, "}")
    node.end = place + 1
    return node


def _parse_array(text: str, start: int, depth: int) -> _Node:
    node = _Node([], start, start)
    place = _skip(text, start + 1)
    while text[place : place + 1] != "]":
        item = _parse_value(text, place, depth + 1)
        node.value.append(item.value)
        place = _skip_comma(text, item.end, "]")
    node.end = place + 1
    return node


def _skip_comma(text: str, end: int, closing: str) -> int:
    """Position of the next member, or of the closing bracket."""
    place = _skip(text, end)
    if text[place : place + 1] == ",":
        return _skip(text, place + 1)
    if text[place : place + 1] != closing:
        raise ValueError(_describe(text, place))
    return place
