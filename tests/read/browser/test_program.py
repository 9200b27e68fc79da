"""The choice of the browser, its command line and its profile folder."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from webquarry._read.browser import chromium
from webquarry._read.browser.chromium import (
    Isolation,
    Profile,
    build_command,
    choose_isolation,
    find_program,
    remove_stale_profiles,
)
from webquarry.errors import Unreadable
from webquarry.settings import Settings


def make_program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    return path


def test_configured_browser_is_preferred_then_the_headless_shell(tmp_path: Path) -> None:
    full = make_program(tmp_path, "chromium")
    environ = {"PATH": str(tmp_path)}

    assert find_program(Settings(), environ) == str(full)
    shell = make_program(tmp_path, "chromium-headless-shell")
    assert find_program(Settings(), environ) == str(shell)
    named = Settings(browser=str(full))
    assert find_program(named, environ) == str(full)
    assert find_program(Settings(browser=str(tmp_path / "absent")), environ) is None
    assert find_program(Settings(), {"PATH": str(tmp_path / "nothing")}) is None


def test_only_the_setting_disables_the_sandbox(tmp_path: Path) -> None:
    program = "/bin/browser"
    usual = build_command(program, Isolation((), None, True, True), tmp_path)
    without = build_command(program, Isolation((), None, True, False), tmp_path)

    assert "--no-sandbox" not in usual
    assert "--no-sandbox" in without
    assert Settings().browser_sandbox is True
    for arguments in (usual, without):
        assert "--proxy-server=http://127.0.0.1:1" in arguments
        assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments


def test_root_drops_privileges_or_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium, "_find_wrapper", lambda name, *options: (name, "--"))
    chosen = choose_isolation(sandbox=True)
    assert chosen.prefix == ("unshare", "--", "setpriv", "--")
    assert chosen.user == chromium.NOBODY
    assert "no network at all" in chosen.description

    monkeypatch.setattr(chromium, "_find_wrapper", lambda name, *options: None)
    with pytest.raises(Unreadable, match="sandbox"):
        choose_isolation(sandbox=True)


def test_only_stale_profiles_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    used, left = Profile(None), Profile(None)
    os.close(left.lock)  # as after a kill of its process
    fresh = tmp_path / "webquarry-browser-fresh"
    other = tmp_path / "webquarry-other"
    for folder in (fresh, other):
        folder.mkdir()
    old = time.time() - 3600
    for folder in (used.folder, left.folder, other):
        os.utime(folder, (old, old))

    remove_stale_profiles(tmp_path)

    assert used.folder.exists()
    assert not left.folder.exists()
    assert fresh.exists()
    assert other.exists()
    used.remove()
    assert not used.folder.exists()
