"""Print what can be counted of the package's shape, and trace the way of two calls.

python scripts/measure_house.py [FOLDER ...]      # other source folders: measures alone
"""

from __future__ import annotations

import sys
from pathlib import Path

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


def main() -> None:
    """Other folders are measured; ours is traced as well."""
    folders = [Path(argument) for argument in sys.argv[1:]]
    for folder in folders or [ROOT / "src" / "webquarry"]:
        print_measures(folder)
    if not folders:
        print_frames("research", "web_search", {"query": "tidal energy storage"})
        print_frames(
            "research", "scrape_page", {"url": "https://tidelines.example/2026/09/storing-the-tide"}
        )


if __name__ == "__main__":
    main()
