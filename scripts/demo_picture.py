"""The picture of the demo in the README: what `webquarry demo` prints, drawn as an SVG.

The demo runs on the recorded web and prints the same each time; its beginning is drawn, up to the
end of a part.
"""

from __future__ import annotations

import asyncio
import io
import re

from rich.console import Console
from rich.text import Text

from webquarry.cli.demo import run_demo
from webquarry.cli.output import Output

WIDTH = 100
MOST_LINES = 44
# A picture fetches nothing: whoever has the font sees it, others get one of theirs.
_FONT_FILES = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def demo_picture() -> str:
    """The whole SVG."""
    printed = io.StringIO()
    terminal = Console(
        file=printed,
        width=WIDTH,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    asyncio.run(run_demo(Output(False, terminal)))
    lines = Text.from_ansi(printed.getvalue()).split("\n", allow_blank=True)
    picture = Console(
        file=io.StringIO(), width=WIDTH, record=True, force_terminal=True, legacy_windows=False
    )
    picture.print(Text("$ make demo", style="bold"))
    for line in lines[: _find_end([line.plain for line in lines])]:
        picture.print(line, soft_wrap=True)
    drawn = picture.export_svg(title="webquarry", unique_id="demo")
    drawn = _FONT_FILES.sub("", drawn)
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def _find_end(lines: list[str]) -> int:
    """The last blank line that is still in the picture: a part of the demo ends there."""
    blank = [number for number, line in enumerate(lines[:MOST_LINES]) if not line.strip()]
    return blank[-1]
