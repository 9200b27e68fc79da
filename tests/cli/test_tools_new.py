"""`webquarry tools new`: a tool that passes its check and runs, and never over another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.tool_commands import answer, failure, tools
from tests.host.workbench import WEATHER, Workbench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    return Workbench.as_ours(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", ["my_tool", "my-tool", "t", "a2"])
def test_new_writes_a_tool_that_passes_check_and_runs(name: str, bench: Workbench) -> None:
    made = answer("new", name)
    path = bench.user_tools / name.replace("_", "-")

    assert made == {
        "name": name.replace("-", "_"),
        "path": str(path),
        "options": f"{path}.toml",
    }
    checked = tools("check", str(path))
    assert (checked.exit_code, checked.output) == (0, "")
    assert tools("check", name).output == ""
    assert answer("list")["tools"][0]["state"] == "ready"
    assert answer("run", made["name"], stdin='{"text": "a", "times": 2}') == {"text": "a a"}
    assert failure(["run", made["name"]], '{"text": "a", "times": "x"}')


def test_new_shows_the_way_on(bench: Workbench) -> None:
    said = tools("new", "weather", "--text").stdout

    assert f"webquarry tools check {bench.user_tools / 'weather'}" in said
    assert "webquarry tools trust" not in said
    assert "webquarry tools trust" in tools("new", "rain", "--project", "--text").stdout
    assert (bench.project_tools / "rain").exists()


def test_new_overwrites_nothing(bench: Workbench) -> None:
    path = bench.tool(WEATHER)
    before = path.read_text()

    assert "already" in failure(["new", "weather"]).stderr
    assert path.read_text() == before
    assert not path.with_name("weather.toml").exists()


@pytest.mark.parametrize("name", ["", "../x", "a b", "Größe", "x" * 65, "-x", "a__b", ".x"])
def test_new_refuses_invalid_names(name: str, bench: Workbench) -> None:
    assert "cannot be the name of a tool" in failure(["new", "--", name]).stderr
    assert list(bench.user_tools.iterdir()) == []


def test_new_says_where_it_cannot_write(bench: Workbench) -> None:
    assert "cannot be used" in failure(["new", "x", "--folder", "/dev/null/x"]).stderr


def test_template_has_an_options_file(bench: Workbench) -> None:
    made = answer("new", "weather")
    file = Path(made["options"])
    text = file.read_text()
    file.write_text(text.replace("# variables", "variables").replace("# timeout", "timeout"))
    shown = answer("show", "weather")

    assert (shown["variables"], shown["timeout_seconds"]) == (["WEATHER_API_KEY"], 30)
