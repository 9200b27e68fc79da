"""`webquarry sql`, run as a user runs it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_app import WEBQUARRY, Runner
from tests.model_servers import FakeServers
from webquarry.ask.models import Progress, Usage
from webquarry.cli.sql import redact_keys, split_line
from webquarry.sql.progress import ProgressLine, format_line
from webquarry.sql.rendering import render
from webquarry.sql.session import SqlResult

pty = pytest.importorskip("pty", reason="this system has no terminals to open")


def type_into_shell(typed: str, environ: dict[str, str], *arguments: str) -> tuple[bytes, int]:
    """What a person sees who types this at a terminal, and the exit code."""
    ours, theirs = pty.openpty()
    settings = environ | {"PATH": os.environ["PATH"], "TERM": "dumb"}
    with subprocess.Popen(
        [*WEBQUARRY, "sql", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=settings
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        seen = b""
        with contextlib.suppress(OSError):  # the other end is closed, which Linux tells so
            while piece := os.read(ours, 65536):
                seen += piece
        code = process.wait(60)
    os.close(ours)
    return seen, code


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


def test_command_prints_its_rows_on_stdout_and_the_bill_on_stderr(
    run: Runner, servers: FakeServers, environ: dict[str, str]
) -> None:
    done = run(
        "sql", "-c", "SELECT stps_ask_ai('Acme', 'industry? [search]') AS a", settings=environ
    )

    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[0].strip() == "a"
    assert "Answer to: Context: Acme Question: industry?" in done.stdout.decode()
    assert "1 rows, 2 calls, 0 kept, 1 searches, $0." in done.stderr.decode()


def test_database_file_persists(run: Runner, environ: dict[str, str], tmp_path: Path) -> None:
    place = str(tmp_path / "data.db")
    run(
        "sql",
        place,
        "--create",
        "-c",
        "CREATE TABLE t AS SELECT ask('a', 'b').answer AS x",
        settings=environ,
    )

    done = run("sql", place, "--read-only", "--format", "json", "-c", "FROM t", settings=environ)

    assert json.loads(done.stdout) == [{"x": "Answer to: Context: a\n\nQuestion: b"}]


@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_database_that_is_not_there_is_not_made_in_silence(
    run: Runner, environ: dict[str, str], tmp_path: Path, options: tuple[str, ...]
) -> None:
    place = tmp_path / "mistyped.db"
    done = run("sql", str(place), *options, "-c", "SELECT 1", settings=environ)
    piped = run("sql", str(place), *options, stdin=b"SELECT 1;", settings=environ)

    assert done.returncode == piped.returncode == 1
    assert f"There is no database {place}." in done.stderr.decode()
    assert "add --create to create it" in done.stderr.decode()
    assert not place.exists()


@pytest.mark.parametrize(("answer", "is_made"), [("y", True), ("n", False), ("", False)])
def test_person_is_asked_whether_a_database_is_to_be_made(
    environ: dict[str, str], tmp_path: Path, answer: str, is_made: bool
) -> None:
    place = tmp_path / "new.db"
    seen, code = type_into_shell(f"{answer}\n.quit\n", environ, str(place))

    assert b"There is no database" in seen
    assert place.exists() == is_made
    assert (code == 0) == is_made


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("csv", 'a,b\n1,"x,y"\n,true\n'),
        (
            "json",
            '[\n  {\n    "a": 1,\n    "b": "x,y"\n  },\n  {\n    "a": null,\n    "b": "true"\n  '
            "}\n]\n",
        ),
        ("markdown", "| a | b |\n| --- | --- |\n| 1 | x,y |\n|  | true |\n"),
        ("table", " a    | b\n------+------\n    1 | x,y\n NULL | true\n(2 rows)\n"),
    ],
)
def test_rows_are_written_in_four_forms(
    run: Runner, environ: dict[str, str], style: str, expected: str
) -> None:
    statement = "SELECT * FROM (VALUES (1, 'x,y'), (NULL, 'true')) AS t(a, b)"
    done = run("sql", "--format", style, "-c", statement, settings=environ)

    assert "\n".join(line.rstrip() for line in done.stdout.decode().split("\n")) == expected


def test_sql_comes_from_a_pipe_and_the_first_error_ends_it(
    run: Runner, environ: dict[str, str]
) -> None:
    piped = b"SELECT 1 AS one;\nSELECT\n  2 AS two -- ; no end\n;\nFROM nowhere; SELECT 3 AS three;"
    done = run("sql", "--format", "csv", stdin=piped, settings=environ)

    assert done.returncode == 1
    assert done.stdout.decode() == "one\n1\ntwo\n2\n"
    assert "nowhere" in done.stderr.decode()


def test_error_has_a_sentence_and_an_action(run: Runner, tmp_path: Path) -> None:
    done = run("sql", "-c", "SELECT ask('a', 'b')", settings={"HOME": str(tmp_path)})

    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: No Anthropic API key is configured.\nTry: ")


def test_commands_of_the_shell(run: Runner, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "more.sql").write_text(
        "CREATE TABLE second (y INTEGER);\nSELECT 5 AS five;\nFROM wrong;"
    )
    typed = (
        "CREATE TABLE first (x INTEGER);\n.tables\n.format csv\n.schema first\n"
        f".read {tmp_path / 'more.sql'}\n"
    )
    done = run("sql", stdin=f"{typed}".encode(), settings=environ)

    said = done.stdout.decode()
    assert "first" in said
    assert 'CREATE TABLE "first"(x INTEGER);' in said
    assert "five\n5\n" in said
    assert "wrong" in done.stderr.decode()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (".nothing", "There is no command .nothing"),
        (".format xml", "no format 'xml'"),
        (".read /no/file", "No such file"),
    ],
)
def test_invalid_command_is_an_error(
    run: Runner, environ: dict[str, str], typed: str, said: str
) -> None:
    done = run("sql", stdin=typed.encode(), settings=environ)

    assert done.returncode == 1
    assert said in done.stderr.decode()


def test_help_and_functions_are_listed(run: Runner, environ: dict[str, str]) -> None:
    done = run(
        "sql",
        "--format",
        "csv",
        stdin=b".help\n.functions\n.usage\n.quit\nSELECT 1;",
        settings=environ,
    )

    assert done.returncode == 0
    for name in ("ask,", "ask_table,", "web_search,", "stps_ask_ai,"):
        assert name in done.stdout.decode()
    assert "_webquarry" not in done.stdout.decode()
    assert ".read FILE" in done.stderr.decode()


def test_file_that_is_no_database_is_an_error(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database " * 1000)
    done = run("sql", str(tmp_path / "text.db"), "-c", "SELECT 1")

    assert done.returncode == 1
    assert "cannot be opened" in done.stderr.decode()


def test_person_types_over_several_lines_and_errors_do_not_end_it(
    environ: dict[str, str], tmp_path: Path
) -> None:
    typed = (
        "SELECT 40\n + 2 AS n;\nFROM nowhere;\n"
        "SELECT stps_set_api_key('sk-secret-123456');\n.quit\n"
    )
    seen, code = type_into_shell(typed, environ)

    assert code == 0
    for text in (
        b"webquarry> ",
        b"42",
        b"nowhere",
        b"API key configured successfully",
        b"query log",
    ):
        assert text in seen
    history = (tmp_path / ".local" / "state" / "webquarry" / "sql-history").read_text()
    assert "FROM nowhere;" in history
    assert "sk-secret" not in history


TOP = "SELECT stps_ask_ai(x, 'q') FROM t ORDER BY x LIMIT 5"
TABLE = "CREATE TABLE t AS SELECT range AS x FROM range(300)"


@pytest.mark.parametrize(("answer", "calls"), [("", 0), ("y", 300)])
@pytest.mark.slow
def test_shell_confirms_paying_for_discarded_rows(
    servers: FakeServers, environ: dict[str, str], answer: str, calls: int
) -> None:
    typed = f"{TABLE};\n{TOP};\n{answer}\nSELECT 40 + 2;\n.quit\n"
    seen, code = type_into_shell(typed, environ)

    assert code == 0
    assert b"about 295 rows that are discarded. Run it? [y/N]" in seen
    assert b"42" in seen
    assert (b"nothing was spent" in seen) == (calls == 0)
    assert servers.messages == calls


def test_command_refuses_to_pay_for_discarded_rows(
    run: Runner, servers: FakeServers, environ: dict[str, str]
) -> None:
    done = run("sql", "-c", f"{TABLE}; {TOP}", settings=environ)

    assert done.returncode == 1
    assert "max_discarded_rows" in done.stderr.decode()
    assert "subquery" in done.stderr.decode()
    assert servers.messages == 0


def test_usage_ends_with_a_total(run: Runner, environ: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT stps_ask_ai(range, 'q') FROM range(3);\n.usage\n")
    done = run("sql", "-c", f".read {script}", "--format", "csv", settings=environ)
    lines = done.stdout.decode().splitlines()

    assert "SELECT stps_ask_ai(range" in lines[-3]
    assert lines[-2].startswith("questions,hits,calls,searches,kept_searches")
    assert lines[-1].startswith("3,0,3,0,0")


def split(text: str) -> tuple[list[str], str]:
    """The pieces of lines that are typed, and what is pending at the end."""
    pieces: list[str] = []
    pending: list[str] = []
    for line in text.splitlines():
        pieces += [piece.strip() for piece in split_line(pending, line)]
    return pieces, "\n".join(pending)


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("SELECT 1; SELECT 2", [], "SELECT 1; SELECT 2"),
        ("SELECT 1; -- x", ["SELECT 1; -- x"], ""),
        ("SELECT\n 2 -- ; no end\n;", ["SELECT\n 2 -- ; no end\n;"], ""),
        ("SELECT 'open;\n'; ;;", ["SELECT 'open;\n'; ;;"], ""),
        ("SELECT $x$;$$;$x$; SELECT 2;", ["SELECT $x$;$$;$x$;", "SELECT 2;"], ""),
        ("FROM wrong x y z;", ["FROM wrong x y z;"], ""),
        (".format csv\n\nSELECT '\n.help;\n';\n.tables", [".format csv", "SELECT '\n.help;\n';", ".tables"], ""),
    ],
)  # fmt: skip
def test_statements_end_with_a_semicolon(text: str, statements: list[str], rest: str) -> None:
    assert split(text) == (statements, rest)


def test_text_from_the_web_cannot_move_the_cursor() -> None:
    result = SqlResult(("a",), ("VARCHAR",), [("\x1b[2Jgone\nnext",), ("x" * 200,)], Progress())

    assert "\x1b" not in render(result, "table")
    assert "gone next" in render(result, "table")
    assert "\u2026" in render(result, "table")
    assert render(result, "json").count("\\u001b") == 1


def test_key_in_a_wrong_statement_is_not_repeated() -> None:
    assert redact_keys("LINE 1: SELECT stps_set_api_key('sk-ant-123456789', 1)") == (
        "LINE 1: SELECT stps_set_api_key('***', 1)"
    )


def test_progress_line_has_rows_hits_searches_429s_spend_and_time_left() -> None:
    usage = Usage(calls=30, searches=4, usd=0.12345)
    progress = Progress(
        rows=100, done=40, hits=10, failed=1, throttled=2, usage=usage, seconds_left=75.2
    )

    assert (
        format_line(progress)
        == "40 of 100 rows, 30 calls, 10 kept, 4 searches, 1 failed, 2 x 429, $0.1235, 1:15 left"
    )


def test_progress_line_is_shown_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    quiet, loud = ProgressLine(), ProgressLine(wanted=True)
    for one in (quiet, loud):
        one(Progress(rows=2, done=1))
        one.clear()
    quiet.clear()

    assert (
        capsys.readouterr().err
        == "\r\x1b[K1 of 2 rows, 0 calls, 0 kept, 0 searches, $0.0000\r\x1b[K"
    )
