"""A user without a home, and a working directory that was deleted: what can be done is done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.executables import FETCH, Done, Site, as_json, environment, script_path
from tests.no_home import needs_root, run_without_home
from tests.search.replies import recorded
from webquarry.credentials import Credential, expand_home, find, find_home, folders
from webquarry.errors import BadInput
from webquarry.mcp.auth import tokens_path
from webquarry.settings import Settings
from webquarry.store.open import find_cache_folder, find_records_folder

IN_MEMORY = "no cache on disk: there is no home folder; answers are cached in memory only"


def command(words: tuple[str, ...], environ: dict[str, str]) -> tuple[Done, Any]:
    """A command of ours without a home, and the JSON that it wrote."""
    done = run_without_home("webquarry", b"", environ, words)
    return done, json.loads(done.stdout)


@needs_root
def test_search_works_in_memory_and_says_so_once() -> None:
    with Site(as_json(recorded("brave/ok_200"))) as site:
        done, answer = command(("search", "tidal turbine", "--provider", "brave"), site.environ)

    assert done.code == 0
    assert answer["resultCount"] == 3
    assert done.stderr.count(IN_MEMORY) == 1


@needs_root
def test_doctor_reports_memory_cache_and_refused_records() -> None:
    done, answer = command(("doctor",), {})

    checks = {
        check["name"]: check for part in answer.values() if isinstance(part, list) for check in part
    }
    assert "memory is used instead" in checks["cache folder"]["detail"]
    assert "are refused" in checks["state folder"]["detail"]
    assert "internal" not in done.stderr


@needs_root
def test_a_step_of_research_is_refused_without_a_folder_for_records() -> None:
    arguments = json.dumps(
        {
            "searchStep": "one",
            "stepNumber": 1,
            "totalStepsEstimate": 1,
            "nextStepNeeded": True,
            "researchGoal": "tides",
        }
    )
    refused, error = command(("call", "sequential_search", arguments), {})

    assert refused.code == 1
    assert error["error"]["kind"] == "records"
    assert "this user has no home" in error["error"]["message"]


@needs_root
@pytest.mark.parametrize("words", [("tools", "list"), ("cache", "stats")])
def test_other_commands_do_not_need_a_home(words: tuple[str, ...]) -> None:
    done, _ = command(words, {})

    assert done.code == 0


def test_without_a_home_no_folder_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_entry(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_entry)
    monkeypatch.setattr(Path, "expanduser", no_entry)
    chosen = Settings(cache_folder=Path("~/c"), state_folder=Path("~/s"))

    assert find_home({}) is None
    assert find_cache_folder(Settings(), {}) is None
    assert find_cache_folder(chosen, {}) is None
    assert find_records_folder(chosen, {}) is None
    assert find_cache_folder(Settings(), {"XDG_CACHE_HOME": "/c"}) == Path("/c/webquarry")
    assert find(Credential("A_KEY", "a-key"), {}) is None
    assert Path("/x/webquarry") in folders({"XDG_CONFIG_HOME": "/x"})
    assert not any(folder.exists() for folder in folders({}))
    assert not expand_home(Path("~/x")).exists()
    with pytest.raises(BadInput, match="no home directory"):
        tokens_path(Settings(), {})


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot be deleted there")
@pytest.mark.parametrize(
    ("script", "flags", "given"),
    [
        (FETCH, (), {"url": "ftp://a.org/"}),
        (FETCH, ("--schema",), None),
        ("webquarry", ("tools", "list"), None),
        ("webquarry", ("tools", "run", "web_fetch"), {"url": "ftp://a.org/"}),
        ("webquarry", ("doctor",), None),
    ],
)
def test_a_working_directory_that_was_deleted_is_no_internal_error(
    tmp_path: Path, script: str, flags: tuple[str, ...], given: object
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    launch = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", launch, script_path(script), *flags],
        input=json.dumps(given).encode(),
        capture_output=True,
        cwd=folder,
        env=environment({}),
        timeout=60,
        check=False,
    )

    assert not os.path.exists(folder)
    assert b"nternal" not in done.stdout
    assert b"unforeseen" not in done.stdout + done.stderr
    assert json.loads(done.stdout)
