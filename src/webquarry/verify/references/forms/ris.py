"""RIS -> its records: tags with their values, in order, and the line where each begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TAG = re.compile(r"\ufeff?([A-Z][A-Z0-9])\s{1,2}-\s?(.*)")

_LONGEST = 10_000  # characters of a value that goes on over several lines


@dataclass(frozen=True)
class RisEntry:
    """One record: every value of every tag."""

    tags: dict[str, list[str]] = field(default_factory=dict)
    text: str = ""
    line: int = 1

    def first(self, *names: str) -> str:
        """The first value of the first of these tags that has one."""
        for name in names:
            for value in self.tags.get(name, ()):
                if value:
                    return value
        return ""


def looks_like_ris(text: str) -> bool:
    """Whether a text begins as RIS does, or has a record in it."""
    return re.search(r"^\ufeff?TY\s{1,2}-", text, re.MULTILINE) is not None


def read_ris(text: str) -> list[RisEntry]:
    """The records of a text, in order; the last one may lack its end."""
    entries: list[RisEntry] = []
    tags: dict[str, list[str]] = {}
    lines: list[str] = []
    begun = 1
    last: list[str] | None = None
    for number, line in enumerate([*text.splitlines(), "ER  - "], 1):
        found = _TAG.match(line)
        if found is None:
            if last and line.strip() and len(last[-1]) < _LONGEST:
                last[-1] = f"{last[-1]} {line.strip()}"
                lines.append(line)
            continue
        name = found[1]
        value = found[2].strip()
        if name == "TY" and tags:
            entries.append(RisEntry(tags, "\n".join(lines), begun))
            tags, lines = {}, []
        if name == "ER":
            if tags:
                entries.append(RisEntry(tags, "\n".join([*lines, "ER  - "]), begun))
            tags, lines, last = {}, [], None
            continue
        if not tags:
            begun = number
        last = tags.setdefault(name, [])
        last.append(value)
        lines.append(line)
    return entries
