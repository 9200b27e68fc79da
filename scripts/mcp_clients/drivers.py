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
_LAST_CHARACTERS = 1500  # of what a client has complained about


class ClientFailed(Exception):
    """The client gave no result, and this is what it said."""


class Driver(Protocol):
    """A client that is connected."""

    protocol: str | None

    def tools(self) -> list[Json]: ...

    def call(self, name: str, arguments: Json) -> Json: ...


class LineClient:
    """A program that answers each line with a line."""

    def __init__(self, process: subprocess.Popen[str], errors: Path) -> None:
        self._process = process
        self._errors = errors
        self.protocol: str | None = self._read_answer("protocol")

    def tools(self) -> list[Json]:
        tools: list[Json] = self._ask({"do": "list"}, "tools")
        return tools

    def call(self, name: str, arguments: Json) -> Json:
        request = {"do": "call", "name": name, "arguments": arguments}
        result: Json = self._ask(request, "result")
        return result

    def _ask(self, request: Json, key: str) -> Any:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ClientFailed(f"the client has ended: {_last_words(self._errors)}") from None
        return self._read_answer(key)

    def _read_answer(self, key: str) -> Any:
        """The next line's value of this key; a ClientFailed where it is an error, or none came."""
        assert self._process.stdout
        with _kill_when_late(self._process):
            line = self._process.stdout.readline()
        if not line:
            raise ClientFailed(
                f"the client has ended or said nothing in time: {_last_words(self._errors)}"
            )
        answer = json.loads(line)
        if "error" in answer:
            raise ClientFailed(answer["error"])
        return answer[key]


@contextmanager
def start_line_client(
    command: list[str], target: Json, environ: dict[str, str], folder: Path
) -> Iterator[LineClient]:
    """The program, connected to the target, until the context ends."""
    errors = folder / "client.log"
    with errors.open("w") as log:
        process = subprocess.Popen(
            [*command, json.dumps(target)],
            cwd=folder,
            env=environ,
            text=True,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    with process:
        try:
            yield LineClient(process, errors)
        finally:
            with _kill_when_late(process):
                process.communicate()


class Inspector:
    """The Inspector's command line. The server is named by a file, as people who use it do."""

    protocol: str | None = None  # it does not say

    def __init__(self, program: Path, target: Json, environ: dict[str, str], folder: Path) -> None:
        self._environ = environ
        self._folder = folder
        config = folder / "inspector.json"
        servers = {"mcpServers": {"webquarry": self._describe_server(target)}}
        config.write_text(json.dumps(servers), "utf-8")
        server = ["--config", str(config), "--server", "webquarry", "--connect-timeout", "60000"]
        answer = ["--format", "json", "--quiet"]
        self._command = ["node", str(program), "--cli", *server, *answer, "--method"]

    def tools(self) -> list[Json]:
        tools: list[Json] = self._ask("tools/list")["tools"]
        return tools

    def call(self, name: str, arguments: Json) -> Json:
        data = json.dumps(arguments)
        return self._ask("tools/call", "--tool-name", name, "--tool-args-json", data)

    def _describe_server(self, target: Json) -> Json:
        """The server's entry in the Inspector's file."""
        if "url" in target:
            return {"type": "streamable-http", "url": target["url"]}
        command, *arguments = target["command"]
        return {"type": "stdio", "command": command, "args": arguments, "env": target["environ"]}

    def _ask(self, *request: str) -> Json:
        """Its exit code tells of a result with `isError`, too; what counts is that there is a
        result.
        """
        process = subprocess.Popen(
            [*self._command, *request],
            cwd=self._folder,
            env=self._environ,
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process, _kill_when_late(process):
            output, errors = process.communicate()
        try:
            result: Json = json.loads(output)["result"]
        except (ValueError, KeyError):
            words = (errors or output).strip()[-_LAST_CHARACTERS:]
            raise ClientFailed(words or "the Inspector said nothing in time") from None
        return result


@contextmanager
def _kill_when_late(process: subprocess.Popen[str]) -> Iterator[None]:
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


def _last_words(log: Path) -> str:
    return log.read_text("utf-8", "replace").strip()[-_LAST_CHARACTERS:]
