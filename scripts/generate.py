"""Writes the files that are made from code; with --check it only says which are out of date, and
fails.

    python scripts/generate.py [--check] [name ...]

A generator is a function that gives the bytes of each file it is responsible for, by its path in
the project.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def schemas() -> dict[Path, bytes]:
    """What `--schema` prints, for every executable: importing the models would take too long there."""
    from schema_text import schema_text

    from webquarry.tools import toolset

    folder = Path("src/webquarry/schemas")
    return {
        folder / f"{tool.name}.json": schema_text(tool).encode() for tool in toolset("executables")
    }


def mcp_listings() -> dict[Path, bytes]:
    """What each tool set offers over MCP, so that a server starts without importing the tools."""
    from webquarry.mcp.listing import SETS, build_listing

    files = {}
    for name in SETS:
        text = json.dumps(build_listing(name), ensure_ascii=False, indent=1)
        files[Path(f"src/webquarry/data/mcp/{name}.json")] = f"{text}\n".encode()
    return files


def types() -> dict[Path, bytes]:
    """What a type checker sees of the library, from the signatures of the tools."""
    from library_types import library_types

    return {Path("src/webquarry/api_types.pyi"): library_types().encode()}


def settings() -> dict[Path, bytes]:
    """The table of settings, from the class that describes them."""
    from settings_table import settings_table

    return {Path("docs/settings.md"): settings_table().encode()}


def env_example() -> dict[Path, bytes]:
    """Every variable there is, to copy from."""
    from env_example import env_example

    return {Path(".env.example"): env_example().encode()}


def recorded_web() -> dict[Path, bytes]:
    """The small web of the demo and the tests."""
    from recorded_web import recorded_bytes

    return {Path("src/webquarry/data/recorded-web.warc.gz"): recorded_bytes()}


def providers() -> dict[Path, bytes]:
    """The table of search providers, from their classes."""
    from providers_table import providers_table

    return {Path("docs/providers.md"): providers_table().encode()}


def picture() -> dict[Path, bytes]:
    """The picture of the demo, from what it prints. It shows the recorded web as it is now."""
    from demo_picture import demo_picture

    return {Path("docs/demo.svg"): demo_picture().encode()}


GENERATORS: dict[str, Callable[[], dict[Path, bytes]]] = {
    "schemas": schemas,
    "mcp": mcp_listings,
    "types": types,
    "settings": settings,
    "providers": providers,
    "env": env_example,
    "web": recorded_web,
    "picture": picture,
}


def stale(names: list[str]) -> dict[Path, bytes]:
    """The files that are missing or differ, with the bytes they should hold."""
    made = {path: content for name in names for path, content in GENERATORS[name]().items()}
    return {path: content for path, content in made.items() if _current(ROOT / path) != content}


def _current(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if anything is out of date"
    )
    parser.add_argument(
        "name", nargs="*", help=f"which to make (all by default): {', '.join(GENERATORS)}"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.name) - set(GENERATORS):
        parser.error(f"no such generator: {', '.join(sorted(unknown))}")
    files = stale(arguments.name or list(GENERATORS))
    for path, content in files.items():
        print(f"{'out of date' if arguments.check else 'writing'}: {path.as_posix()}")
        if not arguments.check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_bytes(content)
    return 1 if arguments.check and files else 0


if __name__ == "__main__":
    sys.exit(main())
