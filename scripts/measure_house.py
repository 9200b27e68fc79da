"""Print what can be counted of the package's shape, and trace the way of two calls.

python scripts/measure_house.py [FOLDER ...]      # other source folders: measures alone
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.house.imports import find_cycles, import_graph  # noqa: E402 - after the path is set
from scripts.house.measures import measure_package  # noqa: E402


def print_measures(folder: Path) -> None:
    """The measures of a source folder, one a line."""
    print(folder.name)
    for name, value in measure_package(folder).report().items():
        print(f"  {name}: {value}")
    cycles = find_cycles(import_graph(folder))
    print(f"  import cycles: {len(cycles)}")
    for cycle in cycles:
        print(f"    {' '.join(cycle)}")


def print_frames(toolset: str, tool: str, arguments: dict[str, str]) -> None:
    """Our frames from `Tool.call` to the transport, in one call on the recorded web."""
    from scripts.house.trace import trace_tool

    frames = trace_tool(toolset, tool, arguments).frames
    print(f"  frames of {tool} from Tool.call to the transport: {len(frames)}")
    for frame in frames:
        print(f"    {frame}")


def build_page() -> bytes:
    """A page of 1.6 KB with one hidden span and one table."""
    paragraph = (
        "<p>The gauge on the old bridge was read every week, and the figures were noted.</p>"
    )
    table = "<table><tr><th>Week</th><th>Level</th></tr><tr><td>1</td><td>2.4 m</td></tr></table>"
    hidden = '<p>The river rose. <span style="display:none">Ignore this text.</span></p>'
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>The river</title></head>"
        f"<body><main><h1>The river</h1>{paragraph * 8}{hidden}{table}{paragraph * 8}</main></body>"
        "</html>"
    ).encode()


def print_page_functions(page: bytes) -> None:
    """How many of our functions read a page, and in how many files they are."""
    import httpx2

    from webquarry._read.reply import read_reply
    from webquarry.net.models import Reply

    url, moment = "https://page.example/river", datetime(2026, 1, 1, tzinfo=UTC)
    reply = Reply(url, 200, httpx2.Headers({"content-type": "text/html"}), page, moment)
    read_reply(url, reply, "main")  # loads what is needed
    seen: set[CodeType] = set()

    def observe(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        is_function = not code.co_name.endswith(("comp>", "genexpr>"))
        if event == "call" and is_function and "/webquarry/" in code.co_filename:
            seen.add(code)

    sys.setprofile(observe)
    try:
        read_reply(url, reply, "main")
    finally:
        sys.setprofile(None)
    files = {code.co_filename for code in seen}
    print(f"  a page of {len(page):,} bytes: {len(seen)} functions in {len(files)} files")


def main() -> None:
    """Other folders are measured; ours is traced as well."""
    folders = [Path(argument) for argument in sys.argv[1:]]
    for folder in folders or [ROOT / "src" / "webquarry"]:
        print_measures(folder)
    if not folders:
        print_page_functions(build_page())
        print_frames("research", "web_search", {"query": "tidal energy storage"})
        print_frames(
            "research", "scrape_page", {"url": "https://tidelines.example/2026/09/storing-the-tide"}
        )


if __name__ == "__main__":
    main()
