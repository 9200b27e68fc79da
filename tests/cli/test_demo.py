"""The demo shows search, read and cite without keys or internet, and the same to the byte every
time.
"""

from __future__ import annotations

import io
import os
import re
import socket
import subprocess
import sys

import pytest
from rich.console import Console

from tests.cli.test_app import without_colours
from webquarry.bridge import bridge
from webquarry.cli.demo import run_demo
from webquarry.cli.output import Output


def told(width: int = 1000) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    bridge.run(run_demo(Output(False, console)))
    assert isinstance(console.file, io.StringIO)
    return without_colours(console.file.getvalue())


def run(**settings: str) -> bytes:
    environ = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    command = [sys.executable, "-W", "error", "-m", "webquarry", "demo"]
    done = subprocess.run(command, env=environ | settings, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_it_searches_reads_and_cites() -> None:
    text = told()

    assert "Search: tidal energy storage" in text
    assert "https://tidelines.example/2026/09/storing-the-tide" in text
    assert re.search(r"\| # ", text), "the page is shown as Markdown"
    cited = (
        "Calloway, I. (2026, September 14). Storing the tide: how a battery fills the gap at slack "
        "water. Tidelines. https://tidelines.example/"
    )
    assert cited in " ".join(text.split())


def test_a_captcha_is_shown_as_an_error_and_none_of_it_as_content() -> None:
    text = told()

    assert "  challenge: " in text
    assert "bug" not in text


def test_it_shows_a_research_session_from_its_first_step_to_the_export_with_citations() -> None:
    text = told().partition("Research: ")[2]
    one_line = " ".join(text.replace("\n  | ", " ").split())

    assert "web_search 3 sources recorded" in one_line
    assert one_line.count("scrape_page https://") == 2
    assert "Step 2, revises step 1: " in one_line
    assert "### Step 1 (superseded by step 2)" in one_line
    cited = (
        "1. Calloway, I. (2026, September 14). Storing the tide: how a battery fills the gap at "
        "slack water. *Tidelines*."
    )
    assert cited in one_line
    assert len(text.splitlines()) < 40


def test_it_fits_a_narrow_terminal() -> None:
    lines = [line for line in told(60).splitlines() if "webquarry " not in line]

    assert [line for line in lines if len(line) > 60] == []


def test_it_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the demo went to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    assert "Cite" in told()


@pytest.mark.slow
def test_two_runs_are_byte_identical() -> None:
    first = run(PYTHONHASHSEED="1", LC_ALL="C", PYTHONUTF8="0", COLUMNS="40", TZ="UTC")
    second = run(
        PYTHONHASHSEED="2",
        LC_ALL="ja_JP.SJIS",
        COLUMNS="200",
        TZ="Pacific/Auckland",
        BRAVE_API_KEY="another-key",
        WEBQUARRY_MAX_BYTES="many",
        HTTPS_PROXY="http://127.0.0.1:1",
        TERM="dumb",
    )

    assert first == second
    assert b"\x1b" not in first
    first.decode("utf-8")
