"""Runs our programs as users without a home: under a number that no passwd entry has, with HOME
unset.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.executables import Done, script_path

NOBODY = 54_321  # a number that no user has
# The user that files belong to stays root, who may read the interpreter wherever it is.
_LAUNCH = "import os, sys; os.setreuid(int(sys.argv[1]), -1); os.execv(sys.argv[2], sys.argv[2:])"
needs_root = pytest.mark.skipif(
    not hasattr(os, "setreuid") or os.geteuid() != 0, reason="needs root, to be another user"
)


def run_without_home(
    script: str, given: bytes, environ: Mapping[str, str], flags: tuple[str, ...] = ()
) -> Done:
    """Run an installed script as nobody, who has no home."""
    inherited = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCH, str(NOBODY), script_path(script), *flags],
        input=given,
        capture_output=True,
        env=inherited | dict(environ),
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())
