"""The commands that find and cite: `cite`, `papers`, `patents`, and `call` with its help."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import webquarry
from tests.cli.test_app import RECORDED, Runner, on_terminal, without_colours
from tests.executables import Answer, Asked, Site

ARTICLE = "https://tidelines.example/2026/09/storing-the-tide"
LOCAL = {"WEBQUARRY_ALLOW_PRIVATE": "1", "WEBQUARRY_ROBOTS": "0", "WEBQUARRY_CACHE": "0"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


@pytest.mark.parametrize(
    ("style", "start"),
    [
        ("apa", "Calloway, I. (2026, September 14)."),
        ("mla", "Calloway, Ines."),
        ("bibtex", "@misc{"),
        ("ris", "TY  - "),
        ("csl-json", "{"),
    ],
)
def test_a_page_is_cited_in_a_style_and_nothing_else_is_written(
    run: Runner, style: str, start: str
) -> None:
    done = run("cite", ARTICLE, "--style", style, "--text", settings=RECORDED)

    assert done.returncode == 0
    assert done.stdout.decode().startswith(start)
    assert ARTICLE in done.stdout.decode()
    assert done.stderr == b""


def test_piped_a_citation_is_that_of_the_tool(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("cite", "tidelines.example/2026/09/storing-the-tide", settings=RECORDED)
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")

    page = webquarry.call("scrape_page", url=ARTICLE).as_dict()
    assert json.loads(done.stdout) == page["citation"]


@pytest.mark.parametrize(
    ("command", "tool", "query"),
    [
        ("papers", "academic_search", "tidal energy storage"),
        ("patents", "patent_search", "tidal turbine folding blades"),
    ],
)
def test_unquoted_words_are_one_query_and_piped_it_is_the_answer_of_the_tool(
    run: Runner, monkeypatch: pytest.MonkeyPatch, command: str, tool: str, query: str
) -> None:
    settings = RECORDED | {"BRAVE_API_KEY": "demo"}
    done = run(command, *query.split(), settings=settings)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    assert json.loads(done.stdout) == webquarry.call_with(tool, {"query": query}).as_dict()


def test_raw_output_in_a_pipe_is_the_body_with_notes_on_stderr(
    run: Runner,
) -> None:
    page = b"<p>one\x1b[31m</p>\r\n<p>two</p>\n"
    picture = bytes(range(256))

    def answer(asked: Asked) -> Answer:
        if "picture" in asked.target:
            return Answer(picture, headers={"Content-Type": "image/png"})
        return Answer(page)

    with Site(answer) as site:
        text = run("read", f"{site.origin}/", "--raw", "--text", settings=LOCAL)
        binary = run("read", f"{site.origin}/picture", "--raw", "--text", settings=LOCAL)
        piped = run("read", f"{site.origin}/picture", "--raw", settings=LOCAL)
        seen = on_terminal("read", f"{site.origin}/picture", "--raw", **LOCAL)

    assert text.stdout == page
    assert b"Cite: " in text.stderr
    assert binary.stdout == picture
    assert base64.b64decode(json.loads(piped.stdout)["content"]) == picture
    assert "To write it to a file" in " ".join(without_colours(seen).split())


def test_the_tools_are_listed_with_a_sentence_each(run: Runner) -> None:
    listed = json.loads(run("call", "--list").stdout)["tools"]
    text = run("call", "--list", "--text").stdout.decode()

    assert {"web_search", "scrape_page", "web_fetch"} <= {tool["name"] for tool in listed}
    assert all(tool["description"] for tool in listed)
    assert "webquarry call TOOL --help" in text
    assert not text.lstrip().startswith("{")


def test_help_behind_a_tools_name_is_about_the_tool_and_else_about_the_command(
    run: Runner,
) -> None:
    of_tool = run("call", "web_search", "--help").stdout.decode()
    of_command = run("call", "--help").stdout.decode()

    assert of_tool.startswith("web_search\n")
    assert "time_range" in of_tool
    assert "one of day, week, month, year" in of_tool
    assert "webquarry call web_search '{\"query\": ...}'" in of_tool
    assert "Usage: webquarry call" in of_command
    assert run("call", "no_such_tool", "--help").returncode == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("web_search", {"query": "tidal energy storage"}, "2026-09-14"),
        ("scrape_page", {"url": ARTICLE}, "Cite: Calloway, I."),
        ("academic_search", {"query": "tidal energy storage"}, "citation count 23"),
        ("web_fetch", {"url": ARTICLE}, "## content"),
        ("format_bibliography", {"sources": [ARTICLE]}, "bibliography: "),
    ],
)
def test_text_of_a_call_is_text_for_a_person(
    run: Runner, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    settings = RECORDED | {"BRAVE_API_KEY": "demo"}
    done = run("call", tool, json.dumps(arguments), "--text", settings=settings)

    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert expected in text
    assert not text.startswith("{")
    assert json.loads(run("call", tool, json.dumps(arguments), settings=settings).stdout)
