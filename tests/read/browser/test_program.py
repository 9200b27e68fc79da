"""Which browser is used, how it is started, and what is left of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from webquarry._read.browser import isolation
from webquarry._read.browser.flags import list_arguments
from webquarry._read.browser.isolation import Isolation, choose_isolation
from webquarry._read.browser.profile import Profile, sweep
from webquarry._read.browser.program import Program, find_program
from webquarry.errors import Unreadable
from webquarry.settings import Settings


def make_program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    return path


def test_the_headless_shell_is_preferred_and_a_named_browser_before_it(tmp_path: Path) -> None:
    full = make_program(tmp_path, "chromium")
    environ = {"PATH": str(tmp_path)}

    assert find_program(Settings(), environ) == Program(str(full), is_shell=False)
    shell = make_program(tmp_path, "chromium-headless-shell")
    assert find_program(Settings(), environ) == Program(str(shell), is_shell=True)
    named = Settings(browser=str(full))
    assert find_program(named, environ) == Program(str(full), is_shell=False)
    assert find_program(Settings(browser=str(tmp_path / "absent")), environ) is None
    assert find_program(Settings(), {"PATH": str(tmp_path / "nothing")}) is None


def test_the_sandbox_is_given_up_by_a_setting_alone(tmp_path: Path) -> None:
    program = Program("/bin/browser", is_shell=True)
    usual = list_arguments(program, Isolation((), None, True, True), str(tmp_path))
    without = list_arguments(program, Isolation((), None, True, False), str(tmp_path))

    assert "--no-sandbox" not in usual
    assert "--no-sandbox" in without
    assert Settings().browser_sandbox is True
    for arguments in (usual, without):
        assert "--proxy-server=http://127.0.0.1:1" in arguments
        assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments


def test_root_becomes_an_ordinary_user_or_says_that_it_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(isolation, "_find_unshare", lambda is_root: ("unshare", "--net"))
    monkeypatch.setattr(isolation, "_find_drop", lambda: ("setpriv", "--"))
    chosen = choose_isolation(sandbox=True)
    assert chosen.prefix == ("unshare", "--net", "setpriv", "--")
    assert chosen.user == isolation.NOBODY
    assert "no network at all" in chosen.description

    monkeypatch.setattr(isolation, "_find_drop", lambda: None)
    with pytest.raises(Unreadable, match="sandbox"):
        choose_isolation(sandbox=True)


def test_folders_of_dead_browsers_are_swept_and_others_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    used, left = Profile(None), Profile(None)
    os.close(left.lock)  # as when its process was killed
    fresh = tmp_path / "webquarry-browser-fresh"
    other = tmp_path / "webquarry-other"
    for folder in (fresh, other):
        folder.mkdir()
    old = time.time() - 3600
    for folder in (used.folder, left.folder, other):
        os.utime(folder, (old, old))

    sweep(tmp_path)

    assert used.folder.exists()
    assert not left.folder.exists()
    assert fresh.exists()
    assert other.exists()
    used.remove()
    assert not used.folder.exists()
