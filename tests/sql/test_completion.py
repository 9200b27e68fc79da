"""Tab in the SQL shell."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_app import WEBQUARRY
from webquarry.sql import Session
from webquarry.sql.shell.completion import Completer

COMMANDS = (".help", ".tables", ".schema", ".read", ".format", ".functions", ".quit")


@pytest.fixture
def completer(session: Session) -> Completer:
    session.sql('CREATE TABLE companies (company VARCHAR, city VARCHAR, "odd name" INTEGER)')
    session.sql("CREATE TABLE other (cost DOUBLE)")
    session.sql("CREATE VIEW compact AS SELECT company FROM companies")
    return Completer(session, COMMANDS)


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("SELECT ", "web_se", "web_search("),
        ("SELECT ", "stps_ask_ai_g", "stps_ask_ai_gender("),
        ("FROM ", "acad", "academic_search("),
        ("FROM ", "compani", "companies"),
        ("FROM ", "compac", "compact"),
        ("SELECT ", "compan", "company"),
        ("SELECT * FROM companies WHERE ", "cit", "city"),
        ("SELECT * FROM companies AS c WHERE ", "c.cit", "c.city"),
        ("SELECT * FROM companies WHERE ", "companies.co", "companies.company"),
        ("SELECT ", "odd", '"odd name"'),
        ("SEL", "", None),
        ("", "SEL", "SELECT"),
        ("", "sel", "select"),
        ("FROM web_search('(', ", "time", "time_range := "),
        ("SELECT ask(company, 'it''s', ", "max", "max_tokens := "),
        ("", ".ta", ".tables"),
        (".format ", "m", "markdown"),
        (".schema ", "oth", "other"),
        ("SELECT * FROM other WHERE ", "CIT", None),
    ],
)
def test_a_word_is_completed_by_what_may_stand_there(
    completer: Completer, line: str, word: str, expected: str | None
) -> None:
    found = completer.find("", line, word)

    if expected is None:
        assert found == []
    else:
        assert expected in found


def test_behind_from_there_are_tables_and_no_columns(completer: Completer) -> None:
    found = completer.find("", "SELECT 1 FROM ", "co")

    assert {"companies", "compact"} <= set(found)
    assert {"company", "cost", "coalesce("} & set(found) == set()


def test_our_inner_functions_are_not_offered(completer: Completer) -> None:
    assert completer.find("", "SELECT ", "_webq") == []


def test_lines_before_are_known(completer: Completer) -> None:
    assert completer.find("SELECT *\nFROM companies k\n", "WHERE ", "k.ci") == ["k.city"]
    assert completer.find("SELECT 1\n", "", ".ta") == []


def test_files_are_completed_where_a_file_is_named(
    completer: Completer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rows.csv").write_text("a\n1\n")

    assert completer.find("", ".read ", "da") == ["data/"]
    assert completer.find("", "FROM 'data/", "ro") == ["rows.csv"]
    assert completer.find("", "FROM '", "data/ro") == ["data/rows.csv"]
    assert completer.find("", "FROM 'nowhere/", "ro") == []


def test_tab_completes_in_a_real_terminal(environ: dict[str, str]) -> None:
    pty = pytest.importorskip("pty", reason="this system has no terminals to open")
    pytest.importorskip("readline", reason="this system has no readline")
    ours, theirs = pty.openpty()
    settings = environ | {"PATH": os.environ["PATH"], "TERM": "dumb", "INPUTRC": "/dev/null"}
    seen = b""
    with subprocess.Popen(
        [*WEBQUARRY, "sql"], stdin=theirs, stdout=theirs, stderr=theirs, env=settings
    ) as process:
        os.close(theirs)
        while b"webquarry> " not in seen:
            seen += os.read(ours, 65536)
        os.write(ours, b"SELECT stps_get_mod\t) IS NOT NULL AS known;\n.qui\t\n")
        with contextlib.suppress(OSError):  # the other end is closed, which Linux tells so
            while piece := os.read(ours, 65536):
                seen += piece
        assert process.wait(60) == 0
    os.close(ours)

    assert b"SELECT stps_get_model() IS NOT NULL AS known;" in seen.replace(b"\r", b"")
    assert b"true" in seen
