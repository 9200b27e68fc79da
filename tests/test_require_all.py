"""WEBQUARRY_REQUIRE_ALL=1, as in .ci/run, turns a skipped test into a failure; elsewhere a skip is
a skip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

def test_that_passes(): pass

@pytest.mark.skip(reason="no redis here")
def test_that_skips(): pass

def test_that_skips_itself(): pytest.skip("no chromium here")

@pytest.mark.xfail(reason="known")
def test_that_is_expected_to_fail(): assert False
"""


@pytest.mark.parametrize(
    ("required", "code", "summary"),
    [("1", 1, "1 failed, 1 passed, 1 xfailed, 1 error"), ("", 0, "1 passed, 2 skipped, 1 xfailed")],
)
@pytest.mark.slow
def test_a_skip_is_a_failure_where_everything_is_required(
    tmp_path: Path, required: str, code: int, summary: str
) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_suite.py").write_text(SUITE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        str(tmp_path),
    ]
    done = subprocess.run(
        command,
        env=os.environ | {"WEBQUARRY_REQUIRE_ALL": required},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == code, done.stdout
    assert summary in done.stdout
    assert ("no redis here" in done.stdout) == (required == "1")
