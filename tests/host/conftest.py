"""A home of one's own for every test of the tool host, and a way to put tools into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """Folders for user and project tools; the working directory is the project's."""
    return Workbench.as_ours(tmp_path, monkeypatch)
