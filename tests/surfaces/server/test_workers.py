"""Several processes behind one socket: what the one that watches them does when they die, and when
all are to end.
"""

from __future__ import annotations

import os
import subprocess
import sys

from webquarry.surfaces.server.workers import _Supervisor

_SCRIPT = """
import logging, sys
from webquarry.surfaces.server.workers import supervise
logging.basicConfig(format="%(message)s")
sys.exit(supervise(2, lambda: 3))
"""


def test_workers_that_end_as_soon_as_they_begin_end_all_with_an_error() -> None:
    command = [sys.executable, "-c", _SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "workers end as soon as they begin; giving up"
    assert done.stderr.count("ended with 3") == 6


def test_no_worker_begins_after_all_were_told_to_end() -> None:
    supervisor = _Supervisor(1, lambda: 0, lambda: None)
    supervisor._ending = True
    supervisor._begin()

    assert supervisor._running == {}
    os.close(supervisor._worker_pipe)
    os.close(supervisor._parent_pipe)
