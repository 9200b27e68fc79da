"""Tools are asked what they are once, as long as they stay the same, and only those that are
wanted.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.host.workbench import WEATHER, Workbench, schema_of
from webquarry.host.host import ToolHost
from webquarry.host.trust.store import TrustStore


def counting_tool(
    bench: Workbench, schema: dict[str, Any], file: str = "", folder: Path | None = None
) -> Path:
    """A tool that writes down each time that it is asked what it is."""
    name = file or str(schema["name"]).replace("_", "-")
    text = json.dumps(schema)
    mark = (
        f"if [ \"$1\" = --schema ]; then echo {name} >> {bench.home}/asked; echo '{text}'; exit; fi"
    )
    return bench.script(name, f"{mark}\ncat", folder)


def count_asked(bench: Workbench, name: str = "weather") -> int:
    try:
        return (bench.home / "asked").read_text().split().count(name)
    except FileNotFoundError:
        return 0


def kept_files(bench: Workbench) -> list[Path]:
    return sorted((bench.home / ".cache" / "webquarry" / "tool-schemas").glob("*.json"))


def test_a_tool_that_stays_the_same_is_asked_once(bench: Workbench) -> None:
    counting_tool(bench, WEATHER)
    first, second = bench.host(), bench.host()

    assert count_asked(bench) == 1
    assert first.get("weather") == second.get("weather")
    assert asyncio.run(second.run("weather", {"city": "Oslo"})) == {"city": "Oslo"}


def change_bytes(bench: Workbench, path: Path) -> None:
    """Other bytes of the same length, under the time of before."""
    before = path.stat()
    path.write_text(path.read_text().replace("Tells", "Gives"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_time(bench: Workbench, path: Path) -> None:
    os.utime(path, ns=(1, 1))


def change_neighbour(bench: Workbench, path: Path) -> None:
    (path.parent / "shared.py").write_text("x = 1")


def change_options(bench: Workbench, path: Path) -> None:
    path.with_name("weather.toml").write_text("timeout_seconds = 5")


def grow_old(bench: Workbench, path: Path) -> None:
    for file in kept_files(bench):
        kept = json.loads(file.read_text())
        kept["asked"] -= 86_401
        file.write_text(json.dumps(kept))


def come_from_the_future(bench: Workbench, path: Path) -> None:
    for file in kept_files(bench):
        kept = json.loads(file.read_text())
        kept["asked"] += 86_401
        file.write_text(json.dumps(kept))


@pytest.mark.parametrize(
    "change",
    [change_bytes, change_time, change_neighbour, change_options, grow_old, come_from_the_future],
)
def test_a_tool_is_asked_again_when_its_answer_may_have_changed(
    change: Callable[[Workbench, Path], None], bench: Workbench
) -> None:
    path = counting_tool(bench, WEATHER)
    bench.host()
    change(bench, path)
    host = bench.host()

    assert count_asked(bench) == 2
    assert host.get("weather").description in path.read_text()


def test_another_path_may_find_another_interpreter(bench: Workbench) -> None:
    counting_tool(bench, WEATHER)
    bench.host()
    bench.host(PATH="/bin:/usr/bin")

    assert count_asked(bench) == 2


def test_another_tool_that_changes_costs_only_itself(bench: Workbench) -> None:
    counting_tool(bench, WEATHER)
    rain = counting_tool(bench, schema_of("rain"))
    bench.host()
    change_bytes(bench, rain)
    bench.host()

    assert (count_asked(bench), count_asked(bench, "rain")) == (1, 2)


def test_a_failure_is_not_believed_a_second_time(bench: Workbench) -> None:
    """The machine was busy, or a library has been installed since."""
    text = json.dumps(WEATHER)
    bench.script("weather", f"test -e {bench.home}/library && echo '{text}'")
    assert bench.host().tools == []
    (bench.home / "library").touch()

    assert [tool.name for tool in bench.host().tools] == ["weather"]


def as_text(content: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(content)


def as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def as_dangling_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/no/such/file")


def with_field(name: str, value: Any) -> Callable[[Path], object]:
    return lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": as_text(""),
    "garbage": lambda file: file.write_bytes(os.urandom(500)),
    "cut": lambda file: file.write_text(file.read_text()[:100]),
    "another shape": as_text("[1, 2]"),
    "too deep": as_text("[" * 100_000),
    "a folder": as_folder,
    "a pipe": as_pipe,
    "a link to nothing": as_dangling_link,
    "no description": with_field("output", "{}"),
    "a number for a description": with_field("output", 5),
    "a text for a time": with_field("asked", "yesterday"),
    "of another version": with_field("version", 99),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_as_good_as_nothing(
    damage: Callable[[Path], object], bench: Workbench
) -> None:
    counting_tool(bench, WEATHER)
    bench.host()
    [file] = kept_files(bench)
    damage(file)

    assert [tool.name for tool in bench.host().tools] == ["weather"]
    assert count_asked(bench) == 2


@pytest.mark.parametrize(
    "environ",
    [
        {"WEBQUARRY_CACHE": "0"},
        {"WEBQUARRY_CACHE_FOLDER": "/proc/nothing"},
        {"WEBQUARRY_CACHE_FOLDER": "/dev/null"},
    ],
    ids=["off", "cannot be made", "no folder"],
)
def test_where_nothing_can_be_kept_tools_are_asked_each_time(
    environ: dict[str, str], bench: Workbench
) -> None:
    counting_tool(bench, WEATHER)
    for _ in range(2):
        assert [tool.name for tool in bench.host(**environ).tools] == ["weather"]

    assert count_asked(bench) == 2


def test_what_is_kept_is_for_its_owner_alone_and_goes_when_it_is_old(bench: Workbench) -> None:
    gone = counting_tool(bench, schema_of("gone"))
    bench.host()
    gone.unlink()
    [old] = kept_files(bench)
    os.utime(old, (1, 1))
    counting_tool(bench, WEATHER)
    bench.host()

    [file] = kept_files(bench)
    assert file != old
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_what_a_projects_tool_said_is_not_used_once_its_folder_is_not_trusted(
    bench: Workbench,
) -> None:
    counting_tool(bench, WEATHER, folder=bench.project_tools)
    TrustStore.of(bench.environ).trust(bench.project_tools)
    assert bench.host().tools
    assert bench.host().tools
    assert count_asked(bench) == 1
    (bench.project_tools / "helper").write_text("x")

    assert bench.host().tools == []


def ask_for(bench: Workbench, *names: str) -> ToolHost:
    return ToolHost.discover(environ=bench.environ, names=names)


def test_who_wants_one_tool_has_only_that_one_asked(bench: Workbench) -> None:
    for name in ("weather", "rain", "file_edit"):
        counting_tool(bench, schema_of(name))
    bench.script("hangs", f"echo hangs >> {bench.home}/asked; sleep 60")
    host = ask_for(bench, "file_edit")

    assert host.get("file_edit").name == "file_edit"
    assert (bench.home / "asked").read_text().split() == ["file-edit"]


@pytest.mark.parametrize("file", ["weather", "weather.py", "weather.sh", "weather-tool"])
def test_a_tool_is_found_by_the_names_that_its_file_may_have(file: str, bench: Workbench) -> None:
    counting_tool(bench, WEATHER, file)
    counting_tool(bench, schema_of("rain"))

    assert ask_for(bench, "weather").get("weather").path.name == file
    assert count_asked(bench, "rain") == 0


def test_a_tool_is_found_by_an_alias_that_a_vendor_was_given(bench: Workbench) -> None:
    counting_tool(bench, schema_of("9lives"))
    counting_tool(bench, schema_of("rain"))
    shutil.rmtree(bench.home / ".cache", ignore_errors=True)
    [alias] = [
        declaration["name"]
        for declaration in bench.host().for_gemini()[0]["functionDeclarations"]
        if "9lives" in declaration["name"]
    ]
    shutil.rmtree(bench.home / ".cache")
    (bench.home / "asked").unlink()

    assert ask_for(bench, alias).get(alias).name == "9lives"
    assert count_asked(bench, "rain") == 0


def test_a_tool_whose_file_has_another_name_is_found_by_asking_all_and_then_by_itself(
    bench: Workbench,
) -> None:
    counting_tool(bench, WEATHER, "forecast")
    rain = counting_tool(bench, schema_of("rain"))

    assert ask_for(bench, "weather").get("weather").path.name == "forecast"
    assert count_asked(bench, "rain") == 1
    change_time(bench, rain)
    assert ask_for(bench, "weather").get("weather").path.name == "forecast"
    assert count_asked(bench, "rain") == 1


def test_what_is_known_of_another_file_counts_for_more_than_a_name(bench: Workbench) -> None:
    """The project's tool overrides yours, whatever its file is called."""
    counting_tool(bench, WEATHER)
    counting_tool(bench, schema_of("weather", description="Theirs."), "other", bench.project_tools)
    TrustStore.of(bench.environ).trust(bench.project_tools)
    bench.host()

    assert ask_for(bench, "weather").get("weather").description == "Theirs."


def test_a_broken_tool_gives_way_to_one_of_its_name_that_works(
    bench: Workbench, tmp_path: Path
) -> None:
    system = tmp_path / "system"
    system.mkdir()
    counting_tool(bench, WEATHER, folder=system)
    bench.script("weather", "exit 3")
    bench.environ["WEBQUARRY_SYSTEM_TOOLS"] = str(system)
    host = ask_for(bench, "weather")

    assert host.get("weather").origin == "system"
    assert [one.reason for one in host.skipped] == ["it ended with exit code 3"]


def test_a_tool_that_was_broken_when_it_was_last_asked_is_told_but_not_asked(
    bench: Workbench,
) -> None:
    counting_tool(bench, WEATHER)
    bench.script("broken", f"echo broken >> {bench.home}/asked; exit 3")
    bench.host()
    host = ask_for(bench, "weather")

    assert [one.reason for one in host.skipped] == ["it ended with exit code 3"]
    assert count_asked(bench, "broken") == 1


def test_an_unknown_name_tells_of_all_tools(bench: Workbench) -> None:
    counting_tool(bench, WEATHER)

    assert [tool.name for tool in ask_for(bench, "rain").tools] == ["weather"]
