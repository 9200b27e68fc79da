"""Print what the extras of engines need, one requirement a line: what `make test-engines` installs.

    python scripts/list_engine_requirements.py '.[polars,ray]'

Our own package is left out: it is there already, and would be compiled once more.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def list_requirements(extras: list[str]) -> list[str]:
    """The requirements of these extras of pyproject.toml, without ourselves."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    optional = project["project"]["optional-dependencies"]
    wanted: list[str] = []
    for extra in extras:
        for requirement in optional[extra]:
            if not requirement.startswith("webquarry["):
                wanted.append(requirement)
    return wanted


if __name__ == "__main__":
    names = re.findall(r"\w+", sys.argv[1])
    print("\n".join(list_requirements(names)))
