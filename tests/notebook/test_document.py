"""Every cell of docs/notebooks.md does what it says, in a real kernel on the recorded web."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.blocks import find_blocks
from tests.notebook.kernel import outputs_of, result_of, run_cells

pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "notebooks.md"


def test_the_cells_of_the_page_run_one_after_the_other(tmp_path: Path) -> None:
    blocks = find_blocks(PAGE.read_text("utf-8"))
    codes = [block.text.rstrip("\n") for block in blocks if block.language == "ipython"]

    cells = run_cells(codes, tmp_path, {})

    for cell in cells:
        assert outputs_of(cell, "error") == [], cell.source
        assert outputs_of(cell, "stream") == [], cell.source
    (asked,) = [cell for cell in cells if "How is the gap" in cell.source]
    assert "batteries on the quay" in result_of(asked)["text/html"]
    assert "Motion" in result_of(cells[-1])["text/html"]
