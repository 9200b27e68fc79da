"""Long text goes through the pager that the user has chosen, on a terminal and nowhere else; and a
word on what is being done is there only for somebody who looks.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_app import RECORDED, on_terminal, run_apart
from webquarry.cli.output import find_pager

PAGE = "https://tidelines.example/2026/09/storing-the-tide"


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that says how many lines it was given."""
    script = tmp_path / "pager"
    script.write_text('#!/bin/sh\necho "PAGED $(wc -l) LESS=$LESS"\n')
    script.chmod(0o755)
    return str(script)


def test_text_that_is_longer_than_the_screen_is_paged(pager: str) -> None:
    seen = on_terminal("read", PAGE, **RECORDED, PAGER=pager, LINES="24")

    assert re.search(r"PAGED +\d{2,} LESS=R", seen)
    assert "Storing the tide" not in seen


@pytest.mark.parametrize(
    ("flags", "settings"),
    [(["--no-pager"], {}), ([], {"LINES": "5000"}), ([], {"TERM": "dumb"})],
)
def test_text_that_fits_or_is_not_to_be_paged_is_written(
    pager: str, flags: list[str], settings: dict[str, str]
) -> None:
    shown = RECORDED | {"PAGER": pager, "LINES": "24"} | settings
    seen = on_terminal("read", PAGE, *flags, **shown)

    assert "PAGED" not in seen
    assert "Storing the tide" in seen


def test_a_pipe_is_never_paged_and_nobody_there_is_told_what_is_being_done(pager: str) -> None:
    done = run_apart("read", PAGE, "--text", **RECORDED, PAGER=pager, LINES="5")

    assert b"PAGED" not in done.stdout
    assert b"Storing the tide" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"PAGER": ""}, None),
        ({"PAGER": "cat"}, None),
        ({"PAGER": "no-such-pager-4711"}, None),
        ({"PAGER": "sh '"}, None),
        ({"PAGER": "sh -c true"}, ["sh", "-c", "true"]),
        ({"PAGER": "sh", "TERM": "dumb"}, None),
    ],
)
def test_a_pager_that_is_none_is_not_started(
    environ: dict[str, str], command: list[str] | None
) -> None:
    assert find_pager(environ) == command


@pytest.mark.slow
def test_a_person_is_told_what_is_being_done_and_the_line_is_gone_in_the_end() -> None:
    seen = on_terminal("read", PAGE, **RECORDED)

    told, _, text = seen.rpartition("\r\x1b[K")
    assert "fetching the page ..." in told
    assert "Storing the tide" in text
    assert "..." not in on_terminal("read", PAGE, **RECORDED, TERM="dumb").partition("Storing")[0]


def test_json_on_a_terminal_is_not_mixed_with_anything() -> None:
    assert on_terminal("read", PAGE, "--json", **RECORDED).startswith("{")
