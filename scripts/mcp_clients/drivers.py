"""One way to ask any client: `tools()` and `call()`, each the client's own answer in the words of
the protocol.

The SDK clients are programs beside this file that are asked by lines, for as long as they live; the
Inspector is started for every request. What a client raises, or does not say in time, is a
`ClientFailed`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from scripts.mcp_clients.calls import Json

ANSWER_SECONDS = 90


class ClientFailed(Exception):
    """The client gave no result, and this is what it said."""


class Driver(Protocol):
    """A client that is connected."""

    protocol: str | None

    def tools(self) -> list[Json]: ...

    def call(self, name: str, arguments: Json) -> Json: ...


class Spoken:
    """A program that answers each line with a line."""

    def __init__(self, process: subprocess.Popen[str], errors: Path) -> None:
        self._process, self._errors = process, errors
        self.protocol: str | None = self._heard("protocol")

    def tools(self) -> list[Json]:
        listed: list[Json] = self._asked({"do": "list"}, "tools")
        return listed

    def call(self, name: str, arguments: Json) -> Json:
        result: Json = self._asked({"do": "call", "name": name, "arguments": arguments}, "result")
        return result

    def _asked(self, request: Json, key: str) -> Any:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ClientFailed(f"the client has ended: {_end_of(self._errors)}") from None
        return self._heard(key)

    def _heard(self, key: str) -> Any:
        assert self._process.stdout
        with _deadline(self._process):
            line = self._process.stdout.readline()
        if not line:
            raise ClientFailed(
                f"the client has ended or said nothing in time: {_end_of(self._errors)}"
            )
        answer = json.loads(line)
        if "error" in answer:
            raise ClientFailed(answer["error"])
        return answer[key]


@contextmanager
def spoken(
    command: list[str], target: Json, environ: dict[str, str], folder: Path
) -> Iterator[Spoken]:
    """The program, told what to connect to, until the context ends."""
    errors = folder / "client.log"
    with errors.open("w") as log:
        process = subprocess.Popen(
            [*command, json.dumps(target)], cwd=folder, env=environ, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    with process:
        try:
            yield Spoken(process, errors)
        finally:
            with _deadline(process):
                process.communicate()


class Inspector:
    """The Inspector's command line. The server is named by a file, as people who use it do."""

    protocol: str | None = None  # it does not say

    def __init__(self, program: Path, target: Json, environ: dict[str, str], folder: Path) -> None:
        self._environ, self._folder = environ, folder
        config = folder / "inspector.json"
        config.write_text(json.dumps({"mcpServers": {"webquarry": _entry(target)}}), "utf-8")
        named = ["--config", str(config), "--server", "webquarry", "--connect-timeout", "60000"]
        self._command = [
            "node",
            str(program),
            "--cli",
            *named,
            "--format",
            "json",
            "--quiet",
            "--method",
        ]

    def tools(self) -> list[Json]:
        listed: list[Json] = self._asked("tools/list")["tools"]
        return listed

    def call(self, name: str, arguments: Json) -> Json:
        return self._asked(
            "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)
        )

    def _asked(self, *request: str) -> Json:
        """Its exit code tells of a result with `isError`, too; what counts is that there is a
        result.
        """
        process = subprocess.Popen(
            [*self._command, *request], cwd=self._folder, env=self._environ, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        with process, _deadline(process):
            said, complained = process.communicate()
        try:
            result: Json = json.loads(said)["result"]
        except (ValueError, KeyError):
            raise ClientFailed(
                (complained or said).strip()[-1500:] or "the Inspector said nothing in time"
            ) from None
        return result


def _entry(target: Json) -> Json:
    if "url" in target:
        return {"type": "streamable-http", "url": target["url"]}
    command, *arguments = target["command"]
    return {"type": "stdio", "command": command, "args": arguments, "env": target["environ"]}


@contextmanager
def _deadline(process: subprocess.Popen[str]) -> Iterator[None]:
    """The process, and what it has started, is ended when it takes too long."""

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(ANSWER_SECONDS, kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end_of(log: Path) -> str:
    return log.read_text("utf-8", "replace").strip()[-1500:]
