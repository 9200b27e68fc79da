"""The example notebook runs from top to bottom on the recorded web: no keys, no internet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.notebook.kernel import outputs_of, result_of, run_notebook

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The cells after they have run, by how they begin; an error ends the run."""
    notebook = nbformat.read(EXAMPLE, as_version=4)
    run_notebook(notebook, tmp_path_factory.mktemp("home"), {}, allow_errors=False)
    return {cell.source: cell for cell in notebook.cells if cell.cell_type == "code"}


def find_cell(cells: dict[str, Any], words: str) -> Any:
    (cell,) = [cell for source, cell in cells.items() if words in source]
    return cell


def test_results_pages_and_references_are_shown_as_html(cells: dict[str, Any]) -> None:
    found = result_of(find_cell(cells, "%web search"))["text/html"]
    page = result_of(find_cell(cells, "webquarry.read("))["text/html"]
    cited = result_of(find_cell(cells, "%web cite"))["text/html"]

    assert '<a href="https://tidelines.example/2026/09/storing-the-tide"' in found
    assert "Ines Calloway" in page
    assert "@misc{calloway2026storing" in cited


def test_many_pages_show_their_progress(cells: dict[str, Any]) -> None:
    (progress,) = outputs_of(find_cell(cells, "read_all"), "display_data")

    assert progress.data["text/plain"] == "4 of 4, 1 failed"


def test_a_model_answers_with_its_sources(cells: dict[str, Any]) -> None:
    cell = find_cell(cells, "How is the gap")
    (progress,) = outputs_of(cell, "display_data")

    assert "<strong>batteries on the quay</strong>" in result_of(cell)["text/html"]
    assert "https://wiki.openwaters.example/" in result_of(cell)["text/html"]
    assert progress.data["text/plain"].startswith("1 rows, 2 calls, 0 kept, 1 searches")


def test_a_table_is_asked_row_by_row_and_equal_rows_once(cells: dict[str, Any]) -> None:
    (progress,) = outputs_of(find_cell(cells, "--table stores"), "display_data")

    assert "'Liquid', 'Height', 'Motion', 'Motion'" in result_of(find_cell(cells, "rows.answers"))[
        "text/plain"
    ].replace("\n", "")
    assert progress.data["text/plain"].startswith("4 rows, 3 calls, 1 kept")


def test_statements_and_the_bill_are_tables(cells: dict[str, Any]) -> None:
    assert result_of(find_cell(cells, "web_search("))["text/html"].count("<tr>") == 4
    bill = result_of(find_cell(cells, "%web bill"))["text/html"]
    assert "Bill: 0.0000 USD" in bill
    assert "ollama/qwen3" in bill


def test_the_file_holds_no_outputs() -> None:
    notebook = nbformat.read(EXAMPLE, as_version=4)

    assert [cell.outputs for cell in notebook.cells if cell.get("outputs")] == []
