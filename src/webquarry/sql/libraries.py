"""DuckDB and Arrow, which the optional part `sql` brings: the module comes out, or an error that
says how to install it.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from webquarry.errors import MissingExtra

_REQUIRED = ("duckdb", "pyarrow", "numpy")


def load_library(name: str) -> Any:
    """A module of the optional part; imported on first use, because it is large."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra("sql", "SQL") from error


def require_libraries() -> None:
    """Say at once when something is missing."""
    for name in _REQUIRED:
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # half imported, or forbidden by a test
            spec = None
        if spec is None:
            raise MissingExtra("sql", "SQL")
