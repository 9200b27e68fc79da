"""The command line, run as a user runs it: exit codes, both forms of output, pipes, signals and
locales.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import pytest

import webquarry
from webquarry.__main__ import main

pty = pytest.importorskip("pty", reason="this system has no terminals to open")

WEBQUARRY = (sys.executable, "-m", "webquarry")
RECORDED = {"WEBQUARRY_REPLAY": "demo"}
PAGE = "https://blog.saltmarsh.example/notes/reading-list.md"
JAPANESE_PAGE = "https://umi-denki.example/kaisetsu/choryu.html"
LOCAL = {"WEBQUARRY_ALLOW_PRIVATE": "1", "WEBQUARRY_ROBOTS": "0"}


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Runner:
    """Runs a command in this process, which is quicker than a new one, with streams of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def __call__(
        self, *arguments: str, stdin: bytes = b"", settings: Mapping[str, str] | None = None
    ) -> Done:
        streams = {
            name: io.TextIOWrapper(io.BytesIO(), encoding="ascii") for name in ("stdout", "stderr")
        }
        with self._patch.context() as patch:
            for name, value in (settings or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["webquarry", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="ascii"))
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = main()
            written = [_bytes_of(stream) for stream in streams.values()]
        return Done(code, *written)


def _bytes_of(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


def run_apart(*arguments: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    environ = {
        name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ
    }
    return subprocess.run(
        [*WEBQUARRY, *arguments], env=environ | settings, capture_output=True, timeout=60
    )


def on_terminal(*arguments: str, **settings: str) -> str:
    """What a person sees: the command's stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "TERM": "xterm-256color",
        "COLUMNS": "100",
        "PAGER": "cat",
    }
    with subprocess.Popen(
        [*WEBQUARRY, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environ | settings
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:  # the other end is closed, which Linux tells so
            pass
        process.wait(60)
    os.close(ours)
    return seen.decode("utf-8")


# What we write ourselves: colours, links to web addresses, and the line that says what is done.
OURS = re.compile(
    r"\x1b\[[0-9;]*m|\x1b\]8;[a-z0-9=;]*(?:https?://[!-~]*)?\x1b\\"
    r"|\n?(?:\x1b\[\?25h)?\r?\x1b\[(?:1A|2K)|\x1b\[\?25[lh]|[⠀-⣿](?:\x1b\[0m)? [^\r\n\x1b]*\.\.\."
)


def without_colours(seen: str) -> str:
    """What a person reads in the end."""
    return OURS.sub("", seen.replace("\r\n", "\n"))


def test_version_and_help_are_answered(run: Runner) -> None:
    assert run("--version").stdout.decode() == f"webquarry {webquarry.__version__}\n"
    for arguments in ([], ["--help"], ["-h"]):
        done = run(*arguments)
        assert done.returncode == 0
        for command in ("search", "read", "call", "doctor", "demo", "tools", "cache"):
            assert command in done.stdout.decode()


def test_help_loads_none_of_the_engine(run: Runner) -> None:
    code = (
        "import sys; sys.argv = ['webquarry', '--help']\n"
        "from webquarry.__main__ import main\nmain()\n"
    )
    code += "sys.exit(bool({'asyncio', 'pydantic', 'httpx2', 'lxml', 'rich'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["serch"], "Did you mean 'search'?"),
        (["tools", "lst"], "Did you mean 'list'?"),
        (["read"], "Missing argument"),
        (["read", "https://example.org", "--max-length", "0"], "--max-length"),
        (["doctor", "--ofline"], "--offline"),
    ],
)
def test_wrong_usage_is_exit_code_2_with_a_hint_and_an_empty_stdout(
    run: Runner, arguments: list[str], hint: str
) -> None:
    done = run(*arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert hint in done.stderr.decode()


def test_a_failure_is_a_sentence_and_an_action_on_stderr_and_an_object_on_stdout(
    run: Runner,
) -> None:
    done = run("call", "no_such_tool", "{}")

    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        "Error: There is no tool 'no_such_tool'.\nTry: Use one of: "
    )
    assert json.loads(done.stdout)["error"]["kind"] == "bad_input"


@pytest.mark.parametrize(
    "given", ["[1]", '{"url": 5}', "{'url'}", '{"url":"https://a.example","ofset":1}', "", "{}"]
)
def test_arguments_that_do_not_fit_are_one_clear_error(run: Runner, given: str) -> None:
    done = run("call", "web_fetch", "-", stdin=given.encode(), settings=RECORDED)

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["kind"] == "bad_input"
    assert b"Traceback" not in done.stderr


def test_doctor_gives_json_when_piped_and_text_when_asked(run: Runner) -> None:
    report = json.loads(run("doctor", "--offline").stdout)

    assert {provider["name"] for provider in report["providers"]} >= {"brave", "google"}
    assert (
        run("doctor", "--offline", "--text")
        .stdout.decode()
        .startswith("✓ No key is configured: searches go to DuckDuckGo, without a key.")
    )


def test_an_interrupt_ends_it_with_130_and_no_traceback() -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]} | LOCAL
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with subprocess.Popen(
            [*WEBQUARRY, "read", url], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(3) == b"GET"  # it is under way, and will never be answered
                process.send_signal(signal.SIGINT)
                stdout, stderr = process.communicate(timeout=30)

    assert (process.returncode, stdout, stderr) == (130, b"", b"")


@pytest.mark.parametrize(
    "arguments", [["doctor", "--offline"], ["doctor", "--offline", "--text"], ["demo"], ["--help"]]
)
def test_a_reader_that_has_gone_is_no_reason_to_complain(arguments: list[str]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [*WEBQUARRY, *arguments], stdout=theirs, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(theirs)

    assert (done.returncode, done.stderr) == (1, b"")


class Hostile(BaseHTTPRequestHandler):
    """A page, and a search result, that want to be more than text."""

    ATTACK = "before\x1b]0;owned\x07\x1b[2J\x9b31mafter [bold]loud[/bold] &#27;[31m\u202e"

    def do_GET(self) -> None:
        if self.path.startswith("/res/v1/web/search"):
            hit = {"title": self.ATTACK, "url": "https://example.org/", "description": self.ATTACK}
            answer = {"query": {"more_results_available": False}, "web": {"results": [hit]}}
            kind, body = "application/json", json.dumps(answer)
        else:
            kind, body = "text/html; charset=utf-8", f"<h1>Attack</h1><p>{self.ATTACK * 20}</p>"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode("utf-8"))

    def log_message(self, *message: object) -> None:
        """Say nothing."""


@pytest.fixture
def hostile() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_text_from_the_web_cannot_command_the_terminal(hostile: str) -> None:
    brave = {"BRAVE_API_KEY": "key-1234", "WEBQUARRY_BRAVE_URL": hostile}
    page, results = (
        on_terminal("read", hostile, **LOCAL),
        on_terminal("search", "anything", **brave),
    )

    assert "[bold]loud[/bold]" in without_colours(results)
    assert "loud" in without_colours(page)
    for plain in (without_colours(page), without_colours(results)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", plain)


def test_json_on_a_terminal_cannot_command_it_either(hostile: str) -> None:
    seen = without_colours(
        on_terminal("call", "web_fetch", json.dumps({"url": hostile}), "--json", **LOCAL)
    )

    assert '"content"' in seen
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", seen)


@pytest.mark.slow
def test_completion_knows_commands_and_choices() -> None:
    def complete(words: str, number: int) -> list[str]:
        asked = {
            "COMP_WORDS": words,
            "COMP_CWORD": str(number),
            "_WEBQUARRY_COMPLETE": "bash_complete",
        }
        found = run_apart(**asked).stdout.decode().split()
        return [word.removeprefix("plain,") for word in found]

    assert sorted(complete("webquarry d", 1)) == ["demo", "doctor", "drift"]
    assert "trust" in complete("webquarry tools ", 2)
    assert complete("webquarry cite x --style b", 4) == ["bibtex"]
    assert complete("webquarry read x --style ap", 4) == ["apa"]
    assert complete("webquarry mcp config claude-", 3) == ["claude-desktop"]


@pytest.mark.parametrize("locale", ["C", "ja_JP.SJIS"])
def test_output_is_utf8_in_every_locale(locale: str) -> None:
    settings = RECORDED | {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run_apart("read", JAPANESE_PAGE, **settings)

    assert re.search("[\u3040-\u30ff]", json.loads(done.stdout.decode("utf-8"))["content"])
