"""Project folders are not touched before they are trusted, and not after they have changed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.host.workbench import WEATHER, Workbench
from webquarry.errors import BadInput, Refused
from webquarry.host.discovery import check_paths, folder_to_trust
from webquarry.host.trust import TrustStore


@pytest.fixture
def store(bench: Workbench) -> TrustStore:
    return TrustStore.of(bench.environ)


def marking_tool(bench: Workbench) -> Path:
    """A project's tool that leaves a mark when it is run, and where the mark would be."""
    mark = bench.home / "was-run"
    text = json.dumps(WEATHER)
    bench.script("weather", f"touch {mark}\ncat >/dev/null\necho '{text}'", bench.project_tools)
    return mark


def test_an_untrusted_projects_tools_are_listed_but_not_run_not_even_for_their_schema(
    bench: Workbench,
) -> None:
    mark = marking_tool(bench)
    host = bench.host()

    assert host.tools == []
    assert [(one.path.name, one.state, one.origin) for one in host.skipped] == [
        ("weather", "untrusted", "project")
    ]
    assert "not trusted" in host.skipped[0].reason
    assert not mark.exists()


def append(path: Path) -> None:
    path.write_text(path.read_text() + "\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda folder: append(folder / "weather"),
    "new executable": lambda folder: (folder / "new").touch(0o755),
    "renamed": lambda folder: (folder / "weather").rename(folder / "whether"),
    "removed": lambda folder: (folder / "linked").unlink(),
    "now executable": lambda folder: (folder / "notes").chmod(0o755),
    "no longer executable": lambda folder: (folder / "linked").chmod(0o644),
    "behind a link": lambda folder: append(folder.parent / "outside"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_revokes_the_trust(change: str, bench: Workbench, store: TrustStore) -> None:
    folder = bench.project_tools
    mark = marking_tool(bench)
    (folder / "notes").write_text("not executable")
    outside = bench.script("outside", "exit 1", folder.parent)
    (folder / "linked").symlink_to(outside)
    store.trust(folder)
    assert store.explain_distrust(folder) == ""
    CHANGES[change](folder)

    host = bench.host()

    assert "has changed" in store.explain_distrust(folder)
    assert host.tools == []
    assert any(
        one.state == "untrusted" and "has changed since it was trusted" in one.reason
        for one in host.skipped
    )
    assert not mark.exists()


def helped_tool(bench: Workbench) -> Path:
    """A tool that does what a file beside it says, which is what comes back."""
    folder = bench.project_tools
    text = json.dumps(WEATHER)
    (folder / "lib").mkdir(parents=True)
    helper = folder / "lib" / "helper.sh"
    helper.write_text('answer=\'{"from": "the helper"}\'\n')
    body = (
        f"if [ \"$1\" = --schema ]; then echo '{text}'; exit; fi\n"
        'cat >/dev/null\n. "$(dirname "$0")/lib/helper.sh"\necho "$answer"'
    )
    bench.script("weather", body, folder)
    return helper


def test_a_file_that_a_tool_runs_takes_the_trust_away_when_it_changes(
    bench: Workbench, store: TrustStore
) -> None:
    helper = helped_tool(bench)
    store.trust(bench.project_tools)
    host = bench.host()
    helper.write_text('answer=\'{"from": "somebody else"}\'\n')

    with pytest.raises(Refused, match="has changed since it was trusted"):
        asyncio.run(host.run("weather", {"city": "Oslo"}))


@pytest.mark.parametrize("what", ["pipe", "loop", "many", "large"])
def test_folder_that_cannot_be_verified_is_not_trusted(
    what: str, bench: Workbench, store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    helped_tool(bench)
    store.trust(bench.project_tools)
    if what == "pipe":
        os.mkfifo(bench.project_tools / "pipe")
    elif what == "loop":
        (bench.project_tools / "lib" / "up").symlink_to(bench.project_tools)
    elif what == "many":
        monkeypatch.setattr("webquarry.host.trust.MAX_FILES", 1)
    else:
        monkeypatch.setattr("webquarry.host.trust.MAX_BYTES", 100)

    assert store.explain_distrust(bench.project_tools).startswith("its folder holds")
    assert bench.host().tools == []
    with pytest.raises(BadInput, match="cannot be verified"):
        store.trust(bench.project_tools)


def test_in_the_home_directory_the_projects_folder_is_the_users_own(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.tool(WEATHER)
    monkeypatch.chdir(bench.home)

    assert [tool.origin for tool in bench.host().tools] == ["user"]
    assert bench.host().skipped == []


def test_trust_list_is_private_and_written_atomically(bench: Workbench, store: TrustStore) -> None:
    bench.tool(WEATHER, folder=bench.project_tools)
    store.trust(bench.project_tools)
    store.trust(bench.user_tools)

    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.file.parent.stat().st_mode) == 0o700
    assert [path.name for path in store.file.parent.iterdir()] == ["trusted-tools.json"]
    assert store.explain_distrust(bench.project_tools) == ""
    assert store.explain_distrust(bench.user_tools) == ""


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"folders": 5}', b"\xff", b"[" * 100_000])
def test_unreadable_trust_list_trusts_no_folder(
    content: bytes, bench: Workbench, store: TrustStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.file.parent.mkdir(parents=True)
    store.file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert "is not trusted" in store.explain_distrust(bench.project_tools)

    assert "none is trusted" in caplog.text


def test_a_project_or_its_tool_folder_can_be_named(bench: Workbench) -> None:
    bench.tool(WEATHER, folder=bench.project_tools)

    assert folder_to_trust(bench.project, Path(".ikigai/tools")) == bench.project_tools
    assert folder_to_trust(bench.project_tools, Path(".ikigai/tools")) == bench.project_tools
    with pytest.raises(BadInput, match="no executable to trust"):
        folder_to_trust(bench.home, Path(".ikigai/tools"))


def test_an_untrusted_projects_tool_is_not_run_to_be_checked_either(
    bench: Workbench, store: TrustStore, tmp_path: Path
) -> None:
    mark = marking_tool(bench)
    elsewhere = tmp_path / "other-project" / ".ikigai" / "tools"
    elsewhere.mkdir(parents=True)
    other = bench.script("other", f"touch {mark}", elsewhere)

    report = asyncio.run(
        check_paths([bench.project_tools / "weather", other], bench.settings(), bench.environ)
    )

    assert [findings[0].message.partition(";")[0] for _, findings in report] == [
        "its folder is not trusted"
    ] * 2
    assert not mark.exists()
    store.trust(bench.project_tools)
    [(_, findings)] = asyncio.run(
        check_paths([bench.project_tools], bench.settings(), bench.environ)
    )
    assert findings == []
