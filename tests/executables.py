"""Runs the executables, as hosts do or in this process, against sites on 127.0.0.1."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.local_site import LocalSite
from webquarry.executable import main
from webquarry.logs import RedactingFormatter

BRAVE, GOOGLE, FETCH = "web-search-brave-tool", "web-search-google-tool", "web-fetch-tool"
SCRIPTS = (BRAVE, GOOGLE, FETCH)
KEYS = {
    "BRAVE_API_KEY": "canary-brave-5f1e",
    "GOOGLE_SEARCH_API_KEY": "canary-google-77ab",
    "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
}
LOCAL = {"WEBQUARRY_ALLOW_PRIVATE": "1"}


@dataclass(frozen=True)
class Done:
    """What a run left behind."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def answer(self) -> Any:
        """The one JSON object on stdout; anything else there is a failure."""
        assert self.stdout.endswith(b"\n"), self.stderr
        assert self.stdout.count(b"\n") == 1
        found = json.loads(self.stdout.decode("utf-8"))
        assert isinstance(found, dict)
        return found

    @property
    def error(self) -> str:
        """The sentence of the error object, which holds nothing else."""
        assert self.code == 1
        assert list(self.answer) == ["error"]
        return str(self.answer["error"])


def script_path(script: str) -> str:
    return str(Path(sysconfig.get_path("scripts")) / script)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, which `conftest` has cleaned, and more."""
    return dict(os.environ) | dict(extra)


def as_bytes(given: bytes | Mapping[str, Any]) -> bytes:
    return given if isinstance(given, bytes) else json.dumps(given).encode()


def run_script(
    script: str,
    given: bytes | Mapping[str, Any] = b"",
    environ: Mapping[str, str] | None = None,
    flags: tuple[str, ...] = (),
) -> Done:
    """Run the installed script, as a host would."""
    done = subprocess.run(
        [script_path(script), *flags],
        input=as_bytes(given),
        capture_output=True,
        env=environment(environ or {}),
        timeout=30,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


class InProcess:
    """Runs `main` in this process: the same code, many times faster."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def __call__(
        self,
        script: str,
        given: bytes | Mapping[str, Any] = b"",
        environ: Mapping[str, str] | None = None,
        flags: tuple[str, ...] = (),
    ) -> Done:
        written, stderr = io.BytesIO(), io.StringIO()
        stdin, stdout = io.TextIOWrapper(io.BytesIO(as_bytes(given))), io.TextIOWrapper(written)
        with self._patch.context() as patch:
            for name, value in (environ or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", [script_path(script), *flags])
            patch.setattr(sys, "stdin", stdin)
            patch.setattr(sys, "stdout", stdout)
            patch.setattr(sys, "stderr", stderr)
            with _no_log_handlers():
                code = main()
        return Done(code, written.getvalue(), stderr.getvalue())


@contextmanager
def _no_log_handlers() -> Iterator[None]:
    """`logs.set_up` keeps the stderr it first saw, which in a test is soon another one."""
    root = logging.getLogger()

    def ours() -> list[logging.Handler]:
        return [
            handler
            for handler in root.handlers
            if isinstance(handler.formatter, RedactingFormatter)
        ]

    level, own_level = root.level, logging.getLogger("webquarry").level
    for handler in ours():
        root.removeHandler(handler)
    try:
        yield
    finally:
        for handler in ours():
            root.removeHandler(handler)
        root.setLevel(level)
        logging.getLogger("webquarry").setLevel(own_level)


@dataclass(frozen=True)
class Asked:
    """A request that a site received."""

    target: str
    headers: Mapping[str, str]


@dataclass
class Answer:
    """What a site answers."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"}
    )


def as_json(
    value: bytes | Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Answer(body, status, {"Content-Type": "application/json"} | dict(headers or {}))


class Site(LocalSite):
    """A server on 127.0.0.1; `answer` decides what it says, and everything but robots.txt is
    remembered in `asked`.
    """

    def __init__(self, answer: Answer | Callable[[Asked], Answer]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        super().__init__(ThreadingHTTPServer(("127.0.0.1", 0), self._handler()))

    @property
    def environ(self) -> dict[str, str]:
        """The settings under which this site stands for every provider and may be fetched from."""
        return (
            LOCAL | KEYS | {"WEBQUARRY_BRAVE_URL": self.origin, "WEBQUARRY_GOOGLE_URL": self.origin}
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = Answer(b"", 404)
                if self.path != "/robots.txt":
                    asked = Asked(
                        self.path, {name.lower(): value for name, value in self.headers.items()}
                    )
                    site.asked.append(asked)
                    answer = site.answer(asked) if callable(site.answer) else site.answer
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: stderr belongs to the test."""

        return Handler
