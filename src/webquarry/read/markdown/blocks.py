"""Blocks of Markdown -> one text: blank lines between them, quote marks and list indents in front
of them.

Quotes and list items are containers. A container shows its marker on the first line it holds and
its indent on all others; one that never holds anything leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass

# containers; deeper ones are not indented any further, so that the text cannot grow without bound
_DEEPEST = 12


@dataclass(slots=True)
class _Container:
    marker: str
    indent: str
    started: bool = False


class Blocks:
    """A growing text. `tight` asks for no blank line before the next block."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[_Container] = []
        self._skipped = 0  # containers that are open, but too deep to show
        self._indent = ""
        self.tight = False

    def __bool__(self) -> bool:
        return bool(self._parts)

    def text(self) -> str:
        return "".join(self._parts)

    @property
    def item_started(self) -> bool:
        """Whether the innermost container already holds something."""
        return bool(self._open) and self._open[-1].started

    @property
    def count(self) -> int:
        """Grows with every block."""
        return len(self._parts)

    def last_is(self, text: str) -> bool:
        """Whether the last block, outside all containers, was exactly this."""
        return not self._open and bool(self._parts) and self._parts[-1] == text

    def open(self, marker: str, indent: str) -> None:
        """Start a container."""
        if len(self._open) >= _DEEPEST:
            self._skipped += 1
            return
        self._open.append(_Container(marker, indent))
        self._indent += indent

    def close(self) -> None:
        """End the innermost container."""
        if self._skipped:
            self._skipped -= 1
            return
        container = self._open.pop()
        self._indent = self._indent[: len(self._indent) - len(container.indent)]

    def add(self, text: str) -> None:
        """Put a block of one or more lines at the end."""
        parts = self._parts
        if not self._open:
            if parts:
                parts.append("\n" if self.tight else "\n\n")
            parts.append(text)
        else:
            if parts:
                common = "".join(container.indent for container in self._open if container.started)
                parts.append("\n" if self.tight else f"\n{common.rstrip()}\n")
            parts.append(self._indented(text))
        self.tight = False

    def _indented(self, text: str) -> str:
        first = "".join(one.indent if one.started else one.marker for one in self._open)
        for container in self._open:
            container.started = True
        if "\n" not in text:
            return first + text
        indent, blank = self._indent, self._indent.rstrip()
        lines = text.split("\n")
        return "\n".join(
            [first + lines[0], *(indent + line if line else blank for line in lines[1:])]
        )
