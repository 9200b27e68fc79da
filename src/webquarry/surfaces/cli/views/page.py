"""How Markdown looks on a terminal: as it is, with headings and code set off.

It is not rendered, because a renderer would turn `&#27;` back into the control character that was
taken out.
"""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from webquarry.surfaces.terminal import printable

_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")


def show_markdown(console: Console, markdown: str) -> None:
    """Line by line, nothing added and nothing wrapped."""
    in_code = False
    for line in printable(markdown).split("\n"):
        is_fence = bool(_FENCE.match(line))
        if is_fence:
            style = "dim"
        elif in_code:
            style = "green"
        elif _HEADING.match(line):
            style = "bold cyan"
        else:
            style = ""
        console.print(Text(line, style), soft_wrap=True)
        if is_fence:
            in_code = not in_code
