"""The executables as programs: stdin, stdout, stderr, exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.executables import (
    BRAVE,
    FETCH,
    GOOGLE,
    SCRIPTS,
    Answer,
    Asked,
    InProcess,
    Site,
    as_json,
    environment,
    run_script,
    script_path,
)
from tests.search.replies import recorded
from webquarry import __version__
from webquarry.errors import NetworkFailure
from webquarry.executable import MAX_BYTES, script_name

QUERY = {"query": "tidal turbine"}
PAGE = Answer(
    "<html><body><h1>Größe</h1><p>Eine Seite mit genug Text, um eine Seite zu sein: 水族館 "
    "🦦.</p></body></html>".encode()
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    return InProcess(monkeypatch)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("web-fetch-tool", "web-fetch-tool"),
        ("/usr/bin/web-fetch-tool", "web-fetch-tool"),
        ("C:\\tools\\web-fetch-tool.exe", "web-fetch-tool"),
        ("web-fetch-tool-script.py", "web-fetch-tool"),
    ],
)
def test_script_name_ignores_platform_suffixes(path: str, name: str) -> None:
    assert script_name(path) == name


@pytest.mark.parametrize("script", SCRIPTS)
def test_version_and_help_are_answered(run: InProcess, script: str) -> None:
    version, usage = run(script, flags=("--version",)), run(script, flags=("--help",))

    assert (version.code, version.stdout.decode()) == (0, f"{script} {__version__}\n")
    assert usage.code == 0
    assert f"{script} --schema" in usage.stdout.decode()


@pytest.mark.parametrize("flags", [("--nonsense",), ("--schema", "--more"), ("query",), ("",)])
def test_an_unknown_flag_is_one_error_object_and_the_usage_on_stderr(
    run: InProcess, flags: tuple[str, ...]
) -> None:
    done = run(BRAVE, QUERY, flags=flags)

    assert "is not a flag of web-search-brave-tool" in done.error
    assert "usage:" in done.stderr


@pytest.mark.parametrize(
    "script", ["web-fetch", "webquarry", "nonsense-tool", "../web-fetch-tool/.."]
)
def test_a_name_without_a_tool_behind_it_is_one_error_object(run: InProcess, script: str) -> None:
    assert "There is no tool behind the name" in run(script, flags=("--schema",)).error


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", "The input is empty"),
        (b" \n\t ", "The input is empty"),
        (b"not json", "The input is not JSON"),
        (b'{"query": "duckdb"', "The input is not JSON"),
        (b'{"query": "duckdb"} {}', "Extra data"),
        (b'["duckdb"]', "The input is a list"),
        (b'"duckdb"', "The input is a text"),
        (b"5", "The input is a number"),
        (b"true", "The input is true or false"),
        (b"null", "The input is null"),
        (b'{"query": "duckdb", "query": "udf"}', "twice"),
        (b'{"query": NaN}', "NaN"),
        (b'{"query": "\xff\xfe"}', "The input is not UTF-8"),
        ('{"query": "duckdb"}'.encode("utf-16"), "is not UTF-8"),
        (b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested deeper"),
        (b'{"query": "' + b"x" * MAX_BYTES + b'"}', "The input is larger than 1048576 bytes"),
        (b'{"query": "\\ud83d"}', "surrogate"),
        (b'{"query": ' + b"9" * 5000 + b"}", "too large"),
    ],
)  # fmt: skip
def test_input_that_is_not_one_json_object_is_one_clear_error_object(
    run: InProcess, given: bytes, words: str
) -> None:
    done = run(BRAVE, given)

    assert words in done.error
    assert "bad_input" in done.stderr


@pytest.mark.parametrize(
    ("script", "given", "words"),
    [
        (BRAVE, {}, "The field 'query' is missing."),
        (BRAVE, {"query": None}, "The field 'query' is missing."),
        (
            BRAVE,
            {"query": "x"},
            "The field 'query' does not fit: string should have at least 2 characters.",
        ),
        (
            BRAVE,
            {"query": ["duckdb"]},
            "The field 'query' does not fit: input should be a valid string.",
        ),
        (BRAVE, {"query": "duckdb", "count": 5}, "The field 'count' is unknown"),
        (
            GOOGLE,
            {"query": "duckdb", "allowed_domains": "duckdb.org"},
            "The field 'allowed_domains' does not fit",
        ),
        (
            GOOGLE,
            {"query": "duckdb", "blocked_domains": [5]},
            "The field 'blocked_domains.0' does not fit",
        ),
        (FETCH, {}, "The field 'url' is missing."),
        (FETCH, {"url": 5}, "The field 'url' does not fit"),
        (FETCH, {"url": "https://a.example", "offset": 0}, "greater than or equal to 1"),
        (FETCH, {"url": "https://a.example", "limit": 0}, "greater than or equal to 1"),
        (FETCH, {"url": "https://a.example", "limit": "5"}, "The field 'limit' does not fit"),
        (FETCH, {"url": "https://a.example", "limit": 1.5}, "The field 'limit' does not fit"),
        (FETCH, {"url": "https://a.example", "limit": True}, "The field 'limit' does not fit"),
    ],
)
def test_arguments_that_do_not_fit_the_schema_are_one_clear_error_object(
    run: InProcess, script: str, given: dict[str, Any], words: str
) -> None:
    assert words in run(script, given).error


def test_several_problems_are_reported_at_once(run: InProcess) -> None:
    error = run(BRAVE, {"q": "duckdb"}).error

    assert "'query' is missing" in error
    assert "'q' is unknown" in error


def test_a_byte_order_mark_is_no_problem(run: InProcess) -> None:
    with Site(as_json(recorded("brave/empty_200"))) as site:
        done = run(BRAVE, b"\xef\xbb\xbf" + json.dumps(QUERY).encode(), site.environ)

    assert done.answer == {"results": []}


def test_an_explicit_null_is_the_same_as_absent(run: InProcess) -> None:
    with Site(as_json(recorded("brave/ok_200"))) as site:
        done = run(BRAVE, {**QUERY, "allowed_domains": None, "blocked_domains": None}, site.environ)

    assert len(done.answer["results"]) == 3


def test_answer_is_utf8_in_every_locale() -> None:
    with Site(PAGE) as site:
        plain = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        done = run_script(FETCH, {"url": site.origin}, site.environ | plain)

    assert done.code == 0
    assert "水族館 🦦" in done.stdout.decode("utf-8")


def test_a_setting_that_does_not_fit_is_one_error_object_that_names_it(run: InProcess) -> None:
    assert (
        "WEBQUARRY_TIMEOUT_SECONDS"
        in run(BRAVE, QUERY, {"WEBQUARRY_TIMEOUT_SECONDS": "soon"}).error
    )


def test_diagnostic_has_kind_and_action_on_one_line(run: InProcess) -> None:
    limited = as_json(recorded("brave/rate_limited_429"), 429, {"X-RateLimit-Reset": "7, 9000"})
    with Site(limited) as site:
        done = run(BRAVE, QUERY, site.environ)

    assert "slow down" in done.error
    [line] = done.stderr.splitlines()
    assert "rate_limited (can be tried again after 7 s): Wait 7 seconds" in line


def test_success_leaves_stderr_empty(run: InProcess) -> None:
    with Site(as_json(recorded("brave/ok_200"))) as site:
        done = run(BRAVE, QUERY, site.environ)

    assert (done.code, done.stderr) == (0, "")


def test_unexpected_exception_is_one_error_object_without_traceback(
    run: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webquarry._search.router.Router.search", _broken)
    quiet = run(BRAVE, QUERY)
    loud = run(BRAVE, QUERY, {"WEBQUARRY_LOG_LEVEL": "debug"})

    assert quiet.error == "Internal error: ZeroDivisionError: a bug at https://a.example/?key=***"
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in loud.stderr
    assert "s3cret" not in loud.stderr


def test_secret_in_an_error_is_redacted(run: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    async def leak(*_: object) -> None:
        raise NetworkFailure(
            "failed at https://a.example/?key=s3cret", suggested_action="Ask ?key=s3cret\nagain."
        )

    monkeypatch.setattr("webquarry._search.router.Router.search", leak)
    done = run(BRAVE, QUERY)

    assert done.error == "failed at https://a.example/?key=***"
    assert "s3cret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


async def _broken(*_: object) -> None:
    raise ZeroDivisionError("a bug at https://a.example/?key=s3cret")


def test_ctrl_c_ends_it_with_130_and_without_a_traceback() -> None:
    running: list[subprocess.Popen[bytes]] = []

    def interrupt(asked: Asked) -> Answer:
        running[0].send_signal(signal.SIGINT)  # it waits for our answer
        running[0].wait(20)
        return Answer(b"")

    with Site(interrupt) as site:
        process = subprocess.Popen(
            [script_path(BRAVE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(site.environ),
        )
        running.append(process)
        stdout, stderr = process.communicate(json.dumps(QUERY).encode(), timeout=20)

    assert process.returncode == 130
    assert stdout == b""
    assert b"Traceback" not in stderr


@pytest.mark.parametrize("flags", [["--schema"], []])
def test_a_reader_that_has_gone_is_left_quietly(flags: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(
            [script_path(BRAVE), *flags],
            input=b"{}",
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment({}),
            check=False,
        )

    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_reported_without_a_traceback() -> None:
    with open("/dev/full", "wb") as stdout:
        done = subprocess.run(
            [script_path(BRAVE), "--schema"], stdout=stdout, stderr=subprocess.PIPE, check=False
        )

    assert done.returncode == 1
    assert (
        done.stderr.decode()
        == "webquarry: ERROR: stdout cannot be written to: No space left on device\n"
    )


def test_closed_streams_are_no_crash() -> None:
    command = f"exec '{script_path(BRAVE)}' <&- >&- 2>&-"
    done = subprocess.run(
        ["sh", "-c", command], env=environment({}), capture_output=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_terminal_shows_usage_while_waiting_for_input() -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b'{"query": "x"}\n\x04')
        done = subprocess.run(
            [script_path(BRAVE)],
            stdin=theirs,
            capture_output=True,
            env=environment({}),
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)

    assert done.returncode == 1
    assert b"at least 2 characters" in done.stdout
    assert b"usage:" in done.stderr
    assert b"Ctrl-D" in done.stderr


def test_a_connection_that_is_not_taken_is_a_connection_timeout(run: InProcess) -> None:
    listener = socket.socket()
    waiting = socket.socket()
    with listener, waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting.connect(
            listener.getsockname()
        )  # fills the queue, so that the next connection gets no answer
        settings = {
            "WEBQUARRY_ALLOW_PRIVATE": "1",
            "retries": "0",
            "connect_timeout_seconds": "0.2",
        }
        done = run(FETCH, {"url": f"http://127.0.0.1:{listener.getsockname()[1]}/"}, settings)

    assert done.error == "Failed to fetch URL: Connection timeout"


def test_a_very_long_line_is_a_bounded_answer_that_says_so(run: InProcess) -> None:
    with Site(Answer(b"word " * 2_000_000, headers={"Content-Type": "text/plain"})) as site:
        answer = run(FETCH, {"url": site.origin}, site.environ).answer

    assert len(answer["content"]) <= 1_500_000
    assert answer["cut_line_bytes"] > 9_000_000
    assert (answer["lines_read"], answer["total_lines"]) == (1, 1)
    assert "next_offset" not in answer


def test_a_byte_limit_by_setting_cuts_at_a_line_and_the_rest_can_be_read(run: InProcess) -> None:
    lines = "\n".join(f"This is line {number} of the text." for number in range(1, 51))
    with Site(Answer(lines.encode(), headers={"Content-Type": "text/plain"})) as site:
        limited = site.environ | {"WEBQUARRY_FETCH_MAX_BYTES": "1000"}
        whole = run(FETCH, {"url": site.origin}, site.environ).answer
        first = run(FETCH, {"url": site.origin}, limited).answer
        second = run(FETCH, {"url": site.origin, "offset": first["next_offset"]}, limited).answer

    assert list(first) == ["content", "lines_read", "total_lines", "next_offset"]
    assert first["total_lines"] == whole["lines_read"]
    assert whole["content"].startswith(first["content"] + "\n" + second["content"])


def test_a_private_address_is_refused_before_anything_is_sent(run: InProcess) -> None:
    with Site(PAGE) as site:
        done = run(FETCH, {"url": site.origin}, {"retries": "0"})

    assert done.error.startswith("Failed to fetch URL: ")
    assert "blocked" in done.stderr
    assert site.asked == []
