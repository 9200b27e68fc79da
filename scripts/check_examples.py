"""Checks the types of the Python examples in README and docs with `mypy --strict`, as a user would.

    python scripts/check_examples.py [page ...]

Each page becomes a module whose lines have the numbers of the page, so that an error names the line
of the example. A block is the body of an async function, since examples await where a notebook
would; what an earlier block of the page has imported is known to the later ones.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mypy import api

ROOT = Path(__file__).resolve().parent.parent
_OPENING = re.compile(r"```(?:python|py)\b.*")
_IMPORT = re.compile(r"(?:import|from) \S.*")
_OPTIONS = (
    "--strict",
    "--no-error-summary",
    "--hide-error-context",
    "--cache-dir",
    str(ROOT / ".mypy_cache" / "examples"),
)


def build_module(page: str) -> str | None:
    """The examples of a page as a module of as many lines; None for a page that has none."""
    imports: list[str] = []
    lines: list[str] = []
    is_inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if is_inside and line.strip() == "```":
            is_inside = False
            lines.append("")
        elif is_inside:
            lines.append(f"    {line}" if line.strip() else "")
            if _IMPORT.fullmatch(line.partition("#")[0].rstrip()):
                imports.append(line.partition("#")[0].strip())
        elif _OPENING.fullmatch(line):
            is_inside = True
            lines.append(f"async def example_on_line_{number}() -> None:")
        else:
            lines.append("")
    if not any(lines):
        return None
    lines[0] = "; ".join(dict.fromkeys(imports))  # a title stands there
    return "\n".join(lines) + "\n"


def check_pages(pages: Sequence[Path]) -> list[str]:
    """What mypy has to say of the examples, each line with its place in its page."""
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, Path] = {}
        for page in pages:
            module = build_module(page.read_text("utf-8"))
            if module is None:
                continue
            file = Path(folder) / f"{re.sub(r'[^a-z0-9]', '_', page.stem.lower())}_examples.py"
            file.write_text(module, "utf-8")
            places[str(file)] = page
        if not places:
            return []
        config = Path(folder) / "mypy.ini"
        config.write_text("[mypy]\n[mypy-pandas.*]\nignore_missing_imports = true\n", "utf-8")
        said, failed, _ = api.run(["--config-file", str(config), *_OPTIONS, *places])
    # What mypy remembers of an earlier run names the folder of that run, so the name counts.
    by_name = {Path(file).name: page for file, page in places.items()}
    problems = []
    for line in (said + failed).splitlines():
        file, _, rest = line.partition(":")
        page = by_name.get(Path(file).name)
        problems.append(f"{page}:{rest}" if page else line)
    return problems


def main() -> int:
    pages = [Path(name) for name in sys.argv[1:]]
    if not pages:
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    problems = check_pages(pages)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
