"""The script `websearch-mcp`: its arguments."""

from __future__ import annotations

import sys

import pytest

import webquarry
from webquarry.mcp.websearch import main
from webquarry.settings import Settings


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["websearch-mcp", *arguments])
    return main()


def test_version_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"websearch-mcp {webquarry.__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_setting_of_the_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    assert run(monkeypatch, flag) == 0
    printed = capsys.readouterr().out

    variables = [
        Settings.fields()[field].variables[-1]
        for field in Settings.fields()
        if field.startswith("websearch_")
    ]
    assert len(variables) == 6
    assert [variable for variable in variables if variable not in printed] == []
