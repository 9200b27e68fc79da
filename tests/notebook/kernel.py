"""A real kernel for tests, driven without a browser."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbclient
import nbformat

SECONDS = 120


def run_notebook(
    notebook: Any,
    home: Path,
    environ: Mapping[str, str],
    on_start: Callable[[Any, int], None] | None = None,
    *,
    allow_errors: bool = True,
) -> Any:
    """Run a notebook in a kernel of its own, at home in a folder; `on_start` is told the client and
    the number of each cell that begins.
    """
    folder = str(home)
    own = {
        "HOME": folder,
        "IPYTHONDIR": folder,
        "JUPYTER_RUNTIME_DIR": folder,
        "JUPYTER_CONFIG_DIR": folder,
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, allow_errors=allow_errors, kernel_name="python3"
    )
    if on_start is not None:
        client.on_cell_start = lambda cell, cell_index: on_start(client, cell_index)
    client.execute(env={**os.environ, **own, **environ}, cwd=folder)
    return notebook


def run_cells(
    codes: Sequence[str],
    home: Path,
    environ: Mapping[str, str],
    on_start: Callable[[Any, int], None] | None = None,
) -> list[Any]:
    """Run these cells; they come back with their outputs."""
    cells = [nbformat.v4.new_code_cell(code) for code in codes]
    notebook = nbformat.v4.new_notebook(cells=cells)
    found: list[Any] = run_notebook(notebook, home, environ, on_start).cells
    return found


def outputs_of(cell: Any, kind: str) -> list[Any]:
    """The outputs of a cell that are of a kind."""
    return [output for output in cell.outputs if output.output_type == kind]


def result_of(cell: Any) -> Any:
    """What a cell shows of its last expression, by type."""
    (output,) = outputs_of(cell, "execute_result")
    return output.data
