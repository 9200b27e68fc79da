"""A marimo notebook, run by marimo's own runner: its cells search, ask by SQL, and show.

python -m tests.notebook.marimo_app prints what marimo shows of each cell, as JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import marimo

app = marimo.App()


@app.cell
def _() -> Any:
    import webquarry

    found = webquarry.search("tidal energy storage", num_results=3)
    found  # noqa: B018 - what a cell shows
    return found, webquarry


@app.cell
def _(found: Any, webquarry: Any) -> Any:
    page = webquarry.read(found.urls[0])
    page  # noqa: B018
    return (page,)


@app.cell
def _(webquarry: Any) -> Any:
    session = webquarry.sql.open()
    asked = session.sql(
        "SELECT ask('Flywheel', 'What does it keep the energy in? One word.', "
        "model := 'ollama/qwen3', search := false).answer AS answer"
    )
    asked  # noqa: B018
    return asked, session


@app.cell
def _(asked: Any, session: Any) -> Any:
    bill = session.usage()
    bill  # noqa: B018
    return (bill,)


if __name__ == "__main__":
    outputs, _names = app.run()
    sys.stdout.write(json.dumps([marimo.as_html(output).text for output in outputs]))
