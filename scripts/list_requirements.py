"""Print the requirements of extras, one per line, for `make setup` and `make test-engines`.

    python scripts/list_requirements.py '.[polars,ray]'

Our own package is omitted: it is installed already, and pip would compile it again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def list_requirements(extras: list[str]) -> list[str]:
    """Return the requirements of these extras of pyproject.toml, without our own package."""
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
