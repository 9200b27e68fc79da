"""`webquarry read`: Markdown and a citation for a person, the tool's own JSON for a program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import webquarry

pty = pytest.importorskip("pty", reason="this system has no terminals to open")

from tests.cli.test_app import (  # noqa: E402
    RECORDED,
    Runner,
)

PAGE = "https://wiki.openwaters.example/wiki/Tidal_energy_storage"
NOTES = "https://blog.saltmarsh.example/notes/reading-list.md"
WALL = "https://shop.chandlery.example/clearance"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


def read(run: Runner, *arguments: str) -> dict[str, object]:
    done = run("read", *arguments, settings=RECORDED)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_text_in_a_pipe_is_the_markdown_and_a_line_to_cite_it_by(run: Runner) -> None:
    answer = read(run, NOTES)
    seen = run("read", NOTES, "--text", settings=RECORDED).stdout.decode()

    assert str(answer["content"]).rstrip("\n") + "\n\nCite: " in seen
    cite, links = seen.splitlines()[-2:]
    assert NOTES in cite
    assert links.startswith(f"Links: {answer['linksLeftOut']} targets are left out;")


def test_piped_output_is_the_answer_of_the_tool(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    direct = webquarry.call("scrape_page", url=PAGE, section="Criticism").as_dict()

    assert read(run, PAGE, "--section", "Criticism") == direct


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--outline"], r"\d\. Technologies \(line \d+, \d+ bytes\)"),
        (["--section", "Results of nothing"], None),
        (["--section", "Technologies"], r"\A## Technologies"),
        (["--find", "vanadium"], r"Vanadium flow battery"),
        (["--raw"], r"\A<!DOCTYPE html>"),
        (["--whole"], r"Main page"),
        (["--preview"], r"Tidal energy storage"),
        (["--question", "vanadium", "--max-tokens", "90"], r"(?s)\A(?=.*[Vv]anadium).{,360}\Z"),
    ],
)
def test_each_flag_is_the_parameter_of_the_tool(
    run: Runner, flags: list[str], expected: str | None
) -> None:
    done = run("read", PAGE, *flags, settings=RECORDED)

    assert done.returncode == (expected is None)
    found = json.loads(done.stdout)
    if expected is None:
        assert "The two gaps" in found["error"]["suggestedAction"]
    else:
        assert re.search(expected, found["content"])


def test_a_cut_page_tells_a_person_the_command_that_goes_on(run: Runner) -> None:
    seen = run("read", PAGE, "--max-length", "600", "--text", settings=RECORDED).stdout.decode()
    command = re.search(r"webquarry read (\S+) --cursor (\S+)", seen)

    assert command is not None
    rest = read(run, command[1], "--cursor", command[2])
    first, whole = read(run, PAGE, "--max-length", "600"), read(run, PAGE)
    assert str(first["content"]) + str(rest["content"]) == whole["content"]


def test_a_wall_is_a_failure_with_its_kind(run: Runner) -> None:
    done = run("read", WALL, settings=RECORDED)

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "challenge"


def test_help_loads_none_of_the_engine() -> None:
    code = (
        "import sys; sys.argv = ['webquarry', 'read', '--help']\n"
        "from webquarry.__main__ import main\nmain()\n"
    )
    code += "sys.exit(bool({'httpx2', 'lxml', 'numpy'} & set(sys.modules)))"

    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=dict(os.environ)
        ).returncode
        == 0
    )
