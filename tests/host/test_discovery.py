"""Finding tools: who is asked, who is skipped and why, and that nobody spoils it for the others."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from pathlib import Path

import pytest

from tests.host.test_process import children, open_files
from tests.host.workbench import WEATHER, Workbench, schema_of
from webquarry.host import discovery as folders
from webquarry.host.host import ToolHost
from webquarry.host.trust import TrustStore


def reasons(host: ToolHost) -> dict[str, str]:
    return {one.path.name: one.reason for one in host.skipped}


def names(host: ToolHost) -> list[str]:
    return [tool.name for tool in host.tools]


def test_a_tool_in_the_users_folder_is_found(bench: Workbench) -> None:
    path = bench.tool(WEATHER)
    host = bench.host()

    [tool] = host.tools
    assert (tool.name, tool.description, tool.parameters) == tuple(WEATHER.values())
    assert (tool.path, tool.origin) == (path, "user")
    assert host.get("weather") is tool
    assert host.skipped == []


def test_the_project_overrides_the_user_who_overrides_the_system(
    bench: Workbench, tmp_path: Path
) -> None:
    system = tmp_path / "system"
    system.mkdir()
    for folder, origin in (
        (system, "system"),
        (bench.user_tools, "user"),
        (bench.project_tools, "project"),
    ):
        bench.tool(schema_of("all_three", description=origin), folder=folder)
    bench.tool(schema_of("two", description="system"), folder=system)
    bench.tool(schema_of("two", description="user"), file="other-name")
    bench.tool(schema_of("one"), folder=system)
    trust(bench)
    host = bench.host(WEBQUARRY_SYSTEM_TOOLS=str(system))

    assert {tool.name: tool.description for tool in host.tools} == {
        "all_three": "project",
        "two": "user",
        "one": WEATHER["description"],
    }
    assert [(one.origin, one.state, one.name) for one in host.skipped] == [
        ("system", "overridden", "all_three"),
        ("system", "overridden", "two"),
        ("user", "overridden", "all_three"),
    ]
    assert str(bench.user_tools / "other-name") in host.skipped[1].reason


def test_the_settings_name_the_folders(bench: Workbench, tmp_path: Path) -> None:
    bench.tool(WEATHER)
    bench.tool(schema_of("mine"), folder=bench.home)
    host = bench.host(WEBQUARRY_USER_TOOLS="~/")

    assert names(host) == ["mine"]


def test_by_default_the_system_folder_is_that_of_our_own_scripts_and_only_ours_are_run(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("web-fetch-tool", "web-search-brave-tool"):
        bench.tool(
            schema_of(name.removesuffix("-tool").replace("-", "_")), folder=scripts, file=name
        )
    mark = tmp_path / "pip-was-run"
    bench.script("pip", f"touch {mark}", scripts)
    monkeypatch.setattr(folders, "find_scripts", lambda: scripts)
    environ = {
        name: value for name, value in bench.environ.items() if name != "WEBQUARRY_SYSTEM_TOOLS"
    }

    for chosen in (environ, {**environ, "WEBQUARRY_SYSTEM_TOOLS": str(scripts)}):
        host = ToolHost.discover(environ=chosen)
        assert names(host) == ["web_fetch", "web_search_brave"]
        assert reasons(host) == {"web-search-google-tool": "it is missing"}
        assert all(tool.executable.ours for tool in host.tools)
        assert not mark.exists()


def trust(bench: Workbench) -> None:
    TrustStore.of(bench.environ).trust(bench.project_tools)


# A test does not wait ten seconds for a tool that hangs.
NARROW = {"tool_schema_seconds": "1", "tool_schema_max_bytes": "9000"}
BROKEN = {
    "slow": ("sleep 60", "it did not end within 1 s"),
    "closed-but-alive": ("cat {schema}; exec >&-; sleep 60", "it did not end within 1 s"),
    "deaf": ("trap '' TERM; while :; do sleep 60; done", "it did not end within 1 s"),
    "noisy": ("yes", "its output is longer than 9000 bytes"),
    "talks-first": ("echo loading; cat {schema}", "its output is not JSON"),
    "fails": ("echo 'no such option' >&2; exit 2", "it ended with exit code 2: no such option"),
    "crashes": ("cat {schema}; kill -SEGV $$", "it was ended by SIGSEGV"),
    "no-schema": ("echo '{}'", "its schema is not valid: $.name: is missing"),
}


def write_bad_tools(bench: Workbench, scripts: dict[str, tuple[str, str]]) -> None:
    schema = bench.home / "schema.json"
    schema.write_text(json.dumps(WEATHER))
    for name, (body, _) in scripts.items():
        bench.script(name, body.replace("{schema}", str(schema)))


def write_odd_files(bench: Workbench) -> dict[str, str]:
    """Things in the folder that are no programs, and why each is skipped."""
    folder = bench.user_tools
    (folder / "read-me").write_text("hello")
    (folder / "subfolder").mkdir()
    (folder / "dangling").symlink_to(folder / "nothing")
    os.mkfifo(folder / "fifo")
    for name, content in (
        ("no-shebang", "echo hello"),
        ("empty", ""),
        ("no-interpreter", "#!/no/such/shell\n"),
    ):
        (folder / name).write_text(content)
        (folder / name).chmod(0o755)
    (folder / ".hidden").write_text("#!/bin/sh\n")
    (folder / ".hidden").chmod(0o755)
    return {
        "read-me": "it is not executable",
        "subfolder": "it is not a file",
        "dangling": "it is a link to a file that does not exist",
        "fifo": "it is not a file",
        "no-shebang": "it has no #! line, and is no program of this machine",
        "empty": "it has no #! line, and is no program of this machine",
        "no-interpreter": "the interpreter that its #! line names is missing",
    }


def test_broken_tools_are_skipped_with_their_reason(
    bench: Workbench,
) -> None:
    expected = write_odd_files(bench)
    write_bad_tools(bench, BROKEN)
    bench.tool(WEATHER)
    files, processes = open_files(), children()

    host = bench.host(**NARROW)

    found = reasons(host)
    for name, (_, reason) in (BROKEN).items():
        assert reason in found[name], name
    assert {name: found[name] for name in expected} == expected
    assert names(host) == ["weather"]
    assert ".hidden" not in found
    assert open_files() == files
    assert children() == processes


def test_a_secret_that_a_tool_prints_is_not_in_the_reason(
    bench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.script("leaks", "echo 'key canary-0123456789' >&2; exit 1")
    bench.script("leaks-too", "echo 'canary-0123456789'")
    with caplog.at_level(logging.DEBUG):
        host = bench.host(SOME_API_KEY="canary-0123456789")

    assert reasons(host)["leaks"] == "it ended with exit code 1: key ***"
    assert "canary" not in str(host.skipped) + caplog.text


CANARIES = {
    "BRAVE_API_KEY": "canary-brave",
    "ANTHROPIC_API_KEY": "canary-anthropic",
    "GOOGLE_SEARCH_API_KEY": "canary-google",
    "AWS_SECRET_ACCESS_KEY": "canary-aws",
    "HTTPS_PROXY": "http://user:canary-proxy@proxy.example",
    "WEBQUARRY_X": "canary-setting",
    "LC_API_KEY": "canary-locale",
    "PYTHONPATH": "/canary",
    "SSH_AUTH_SOCK": "/canary",
}


def test_foreign_tools_get_no_credentials(bench: Workbench) -> None:
    keys = bench.home / ".config" / "webquarry"
    keys.mkdir(parents=True)
    (keys / "brave-api-key").write_text("canary-file")
    seen = bench.home / "seen"
    dump = f"env >> {seen}; echo --- >> {seen}"
    text = json.dumps(WEATHER)
    for folder, name in ((bench.user_tools, "weather"), (bench.project_tools, "weather-too")):
        bench.script(
            name,
            f"{dump}\nif [ \"$1\" = --schema ]; then echo '{text}'; else echo '{{}}'; fi",
            folder,
        )
    trust(bench)

    host = bench.host(**CANARIES, LANG="C.UTF-8", TZ="Europe/Oslo")
    asyncio.run(host.run("weather", {"city": "Oslo"}))

    dumped = seen.read_text()
    assert dumped.count("---") == 3
    assert "canary" not in dumped
    assert {line.partition("=")[0] for line in dumped.splitlines()} <= {
        "PATH", "HOME", "LANG", "TZ", "PWD", "SHLVL", "_", "OLDPWD", "---",
        "WEBQUARRY_TOOL_FOLDER", "PYTHONDONTWRITEBYTECODE", "XDG_STATE_HOME", "HTTPS_PROXY",
        "WEBQUARRY_TOOL_MAX_OUTPUT_BYTES", "WEBQUARRY_FETCH_MAX_BYTES",
    }  # fmt: skip
    assert "LANG=C.UTF-8" in dumped


def test_our_own_executables_see_the_environment_they_need(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    body = f"env > {tmp_path}/seen; echo '{{}}'"
    bench.tool(schema_of("web_fetch"), body, folder=scripts, file="web-fetch-tool")
    monkeypatch.setattr(folders, "find_scripts", lambda: scripts)
    host = bench.host(WEBQUARRY_SYSTEM_TOOLS=str(scripts), **CANARIES)
    asyncio.run(host.run("web_fetch", {"city": "Oslo"}))

    assert "BRAVE_API_KEY=canary-brave" in (tmp_path / "seen").read_text()


def test_discovery_works_inside_a_running_loop(bench: Workbench) -> None:
    bench.tool(WEATHER)

    async def ask() -> tuple[ToolHost, ToolHost]:
        return bench.host(), await ToolHost.adiscover(environ=bench.environ)

    assert [names(host) for host in asyncio.run(ask())] == [["weather"], ["weather"]]
