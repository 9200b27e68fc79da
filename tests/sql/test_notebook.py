"""Our functions in a notebook: a real kernel, driven without a browser."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

CELLS = (
    "import webquarry, sys\nsession = webquarry.sql.open()\n"
    "result = session.sql(\"SELECT 1 AS a, 'x' AS b\")\nresult.rows",
    "result.df()['a'].sum().item(), result.arrow().num_rows, 'ipywidgets' in sys.modules",
    "webquarry.read('https://tidelines.example/members/briefing-17')",
    "page = await webquarry.read_async('https://tidelines.example/2026/09/storing-the-tide')\n"
    "page.title",
    "await webquarry.read_async('https://nobody.example/')",
    "session.sql('SELECT ask(1, 2)')",
)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells after they have run, in one kernel."""
    home = str(tmp_path_factory.mktemp("home"))
    changed = {
        "HOME": home,
        "IPYTHONDIR": home,
        "JUPYTER_RUNTIME_DIR": home,
        "JUPYTER_CONFIG_DIR": home,
        "JUPYTER_PLATFORM_DIRS": "1",
        "WEBQUARRY_REPLAY": "demo",
        "BRAVE_API_KEY": "demo",
        "ANTHROPIC_API_KEY": "",
    }
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    client = nbclient.NotebookClient(
        notebook, timeout=120, allow_errors=True, kernel_name="python3"
    )
    client.execute(env=os.environ | changed, cwd=home)
    found: list[Any] = notebook.cells
    return found


def shown(cell: Any) -> str:
    """What a cell gave."""
    (output,) = cell.outputs
    assert output.output_type == "execute_result", output
    text: str = output.data["text/plain"]
    return text


def failed(cell: Any) -> list[str]:
    """The lines that are shown of a cell's error."""
    (output,) = cell.outputs
    assert output.output_type == "error", output
    return [line for text in output.traceback for line in text.splitlines()]


def test_session_opens_without_ipywidgets(cells: list[Any]) -> None:
    assert importlib.util.find_spec("ipywidgets") is None, "with ipywidgets this shows nothing"
    assert shown(cells[0]) == "[(1, 'x')]"


def test_result_is_a_data_frame_and_an_arrow_table(cells: list[Any]) -> None:
    assert shown(cells[1]) == "(1, 1, False)"


def test_error_is_one_line_with_an_action(cells: list[Any]) -> None:
    (line,) = failed(cells[2])
    assert line.startswith("LoginWall: ")
    assert line.endswith("Choose another source; this one needs an account.")
    (line,) = failed(cells[4])
    assert line.startswith("NotRecorded: ")
    (line,) = failed(cells[5])
    assert "Anthropic" in line


def test_page_can_be_awaited_in_a_cell(cells: list[Any]) -> None:
    assert "tide" in shown(cells[3])
