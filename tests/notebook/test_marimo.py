"""marimo, by its own runner: it has no magics and no kernel, and shows what the library gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("marimo", reason="marimo is not installed")
pytestmark = pytest.mark.slow


def test_marimo_shows_results_pages_answers_and_bills_as_html(tmp_path: Path) -> None:
    environ = os.environ | {"HOME": str(tmp_path), "WEBQUARRY_REPLAY": "demo"}
    command = [sys.executable, "-m", "tests.notebook.marimo_app"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    found, page, asked, bill = json.loads(done.stdout.splitlines()[-1])

    assert '<a href="https://tidelines.example/2026/09/storing-the-tide"' in found
    assert "Open Waters" in page
    assert ">Motion</td>" in asked
    assert "Bill: 0.0000 USD" in bill
    assert all('class="webquarry' in html for html in (found, page, asked, bill))
