"""Blocks of Markdown -> one text: blank lines between them, quote marks and list indents in front
of them.

Quotes and list items are containers. A container shows its marker on the first line it holds and
its indent on all others; one that never holds anything leaves no trace.
"""

from __future__ import annotations

# containers; deeper ones are not indented any further, so that the text cannot grow without bound
_DEEPEST = 12


class _Container:
    def __init__(self, marker: str, indent: str) -> None:
        self.marker = marker
        self.indent = indent
        self.started = False  # it holds something


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

    def has_item(self) -> bool:
        """Whether the innermost container already holds something."""
        if not self._open:
            return False
        return self._open[-1].started

    def count(self) -> int:
        """How many parts there are; it grows with every block."""
        return len(self._parts)

    def last_is(self, text: str) -> bool:
        """Whether the last block, outside all containers, was exactly this."""
        if self._open or not self._parts:
            return False
        return self._parts[-1] == text

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
        outer_length = len(self._indent) - len(container.indent)
        self._indent = self._indent[:outer_length]

    def add(self, text: str) -> None:
        """Put a block of one or more lines at the end."""
        parts = self._parts
        before, first = "", ""  # the indent of the line before the block, and what it begins with
        for container in self._open:
            if container.started:
                before += container.indent
                first += container.indent
            else:
                first += container.marker
                container.started = True
        if parts:
            if self.tight:
                parts.append("\n")
            else:
                parts.append(f"\n{before.rstrip()}\n")
        if self._open and "\n" in text:
            text = self._indent_lines(text)
        parts.append(first + text)
        self.tight = False

    def _indent_lines(self, text: str) -> str:
        """Put the indent in front of all lines but the first."""
        indent, blank = self._indent, self._indent.rstrip()
        lines = text.split("\n")
        for number in range(1, len(lines)):
            line = lines[number]
            lines[number] = indent + line if line else blank
        return "\n".join(lines)
