"""Several processes behind one socket: what the one that watches them does when they die, and when
all are to end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from webquarry.surfaces.server.workers import _Supervisor, open_shared_folder

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


def test_the_folders_of_servers_that_were_killed_are_removed_at_the_next_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import sys, time\n"
        "from webquarry.surfaces.server.workers import open_shared_folder\n"
        "with open_shared_folder() as folder:\n"
        "    (folder / 'quota.sqlite3').write_text('x')\n"
        "    print(folder, flush=True)\n"
        "    sys.stdin.read()"
    )
    environ = os.environ | {"TMPDIR": str(tmp_path)}

    def begin() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-c", code], stdin=pipe, stdout=pipe, text=True, env=environ
        )

    with begin() as killed, begin() as living:
        folders = []
        for process in (killed, living):
            assert process.stdout is not None
            folders.append(Path(process.stdout.readline().strip()))
        killed.kill()
        killed.wait()
        elsewhere = tmp_path / "webquarry-workers-link"
        elsewhere.symlink_to(tmp_path)

        with open_shared_folder() as ours:
            assert not folders[0].exists()
            assert folders[1].exists()
            assert ours.exists()
            assert elsewhere.is_symlink()
        assert not ours.exists()
