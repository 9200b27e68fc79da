"""Compare the answers of the MCP servers with the recorded ones: `make golden`.

    python scripts/golden_calls.py [--write] [--profile NAME ...]

A profile is a server command with a list of messages. It is run over each transport and in each
protocol revision, with raw JSON-RPC lines and raw HTTP requests on the recorded web. The answers
are in `tests/golden_calls/<profile>.json` as message -> field -> runs -> value; equal values of
several runs are stored once. Left out: `_meta` of results and notifications, heartbeats, and text
that depends on the machine. The order of keys matters in structured content and schemas only.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.mcp_clients.messages import (  # noqa: E402
    CLIENT,
    INITIALIZED,
    MODERN,
    PING,
    PREFIX,
    PROFILES,
    Message,
    Profile,
    Run,
    initialize,
)
from scripts.mcp_clients.serving import OURS, start_server  # noqa: E402

FOLDER = ROOT / "tests" / "golden_calls"
TIMEOUT_SECONDS = 30
ORDERED = ("structuredContent", "inputSchema", "outputSchema")
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
STORED_HEADERS = ("content-type", "allow", "mcp-session-id", "mcp-protocol-version")
NO_ANSWER = ("notification", "response")  # names of messages that need no answer end in these

Fields = dict[str, Any]  # of one answer
Table = dict[str, dict[str, dict[str, Any]]]  # message -> field -> runs -> value


class Stdio:
    """A server process that receives one line after the other."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read_lines, daemon=True).start()

    def _read_lines(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, name: str, body: str, headers: Mapping[str, str]) -> tuple[Fields, list[Any]]:
        """Return the messages up to the answer, or up to that of a ping where none is needed."""
        assert self._process.stdin
        needs_answer = not name.endswith(NO_ANSWER)
        ping = "" if needs_answer else PING.replace(":1,", ':"end",') + "\n"
        self._process.stdin.write(f"{body}\n{ping}".encode())
        self._process.stdin.flush()
        received: list[Any] = []
        while True:
            try:
                line = self._lines.get(timeout=TIMEOUT_SECONDS)
            except queue.Empty:
                return {"answer": "none before the timeout"}, received
            if not line:
                raise ConnectionError(f"the server exited instead of answering {name!r}")
            message = json.loads(line)
            if isinstance(message, dict) and message.get("id") == "end":
                return {}, received
            received.append(message)
            if needs_answer and "method" not in message:
                return {}, received


class Http:
    """A server that receives one request after the other."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._session: dict[str, str] = {}

    def send(self, name: str, body: str, headers: Mapping[str, str]) -> tuple[Fields, list[Any]]:
        """Return the status with some headers, and the messages of the response."""
        sent = HEADERS | {"Host": self._url.netloc, ":method": "POST"} | self._session
        sent |= headers
        method = sent.pop(":method")
        sent = {name: value for name, value in sent.items() if value or name == "Accept"}
        with closing(HTTPConnection(self._url.netloc, timeout=TIMEOUT_SECONDS)) as connection:
            connection.request(method, self._url.path, body.encode(), sent)
            response = connection.getresponse()
            text = response.read().decode()
        stored = {key: response.headers[key] for key in STORED_HEADERS if key in response.headers}
        if name == "initialize" and "mcp-session-id" in stored:
            self._session = {"Mcp-Session-Id": stored["mcp-session-id"]}
        fields: Fields = {"http": {"status": response.status} | stored}
        parts = [text]
        if stored.get("content-type", "").startswith("text/event-stream"):
            parts = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        try:
            return fields, [json.loads(part) for part in parts if part.strip()]
        except ValueError:
            return fields | {"body": text}, []


@contextmanager
def connect(profile: Profile, transport: str) -> Iterator[Stdio | Http]:
    """Start a server of the profile with its own home, state and cache."""
    with tempfile.TemporaryDirectory(prefix="golden-", ignore_cleanup_errors=True) as folder:
        environ = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": folder,
            "WEBQUARRY_REPLAY": "demo",
            "WEBQUARRY_CACHE_FOLDER": str(Path(folder) / "cache"),
            "WEBQUARRY_STATE_FOLDER": str(Path(folder) / "state"),
            **profile.environ,
        }
        program, *flags = profile.command.split()
        command = [str(Path(OURS).with_name(program)), *flags]
        if transport == "http":
            with start_server([*command, "--http", "--port", "0"], environ, Path(folder)) as url:
                yield Http(url)
            return
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder, env=environ
        ) as process:
            try:
                yield Stdio(process)
            finally:
                process.terminate()


def record_run(profile: Profile, run: Run) -> dict[str, Fields]:
    """Send the messages of a profile to a new server and return the fields of the answers."""
    transport, revision = run
    handshake = [Message("server/discover", "server/discover")]
    if revision != MODERN:
        handshake = [
            initialize("initialize", revision, profile.capabilities),
            Message("initialized notification", body=INITIALIZED),
        ]
    answers: dict[str, Fields] = {}
    known = {"{session}": "", "{artifact}": ""}
    with connect(profile, transport) as connection:
        for number, message in enumerate([*handshake, *profile.messages], 100):
            body, headers = encode(message, number, revision, profile.capabilities)
            for placeholder, value in known.items():
                if placeholder in body and not value:
                    raise ValueError(f"no answer before {message.name!r} has a {placeholder}")
                body = body.replace(placeholder, value)
                headers = {name: one.replace(placeholder, value) for name, one in headers.items()}
            fields, received = connection.send(message.name, body, headers)
            for one in received:
                structured = find_structured(one)
                known["{session}"] = known["{session}"] or structured.get("sessionId", "")
                known["{artifact}"] = known["{artifact}"] or structured.get("resource", "")
                add_fields(fields, one, number)
            answers[message.name] = fields
    return answers


def encode(
    message: Message, number: int, revision: str, capabilities: Mapping[str, Any]
) -> tuple[str, dict[str, str]]:
    """Return the body of a message and the headers that its revision requires."""
    params = dict(message.params or {})
    headers = {}
    if revision >= "2025-06-18" and message.method != "initialize":
        headers["MCP-Protocol-Version"] = revision
    if revision == MODERN and message.method != "initialize":
        headers["Mcp-Method"] = message.method or "ping"
        headers["Mcp-Name"] = str(params.get("name") or params.get("uri") or "")
        envelope = {
            PREFIX + "protocolVersion": MODERN,
            PREFIX + "clientCapabilities": capabilities,
            PREFIX + "clientInfo": CLIENT,
        }
        params["_meta"] = params.get("_meta", {}) | envelope
    headers |= message.headers
    if message.body:
        return message.body, headers
    request = {"jsonrpc": "2.0", "id": number, "method": message.method}
    return json.dumps(request | ({"params": params} if params else {})), headers


def find_structured(received: Any) -> dict[str, Any]:
    result = received.get("result", {}) if isinstance(received, dict) else {}
    return result.get("structuredContent") or {}


def add_fields(fields: Fields, received: Any, number: int) -> None:
    """Add the fields of a received message; notifications are collected in one field."""
    if isinstance(received, list):
        fields["batch"] = normalize(sorted(received, key=lambda one: json.dumps(one.get("id"))))
        return
    message = normalize(received)
    if "method" in message:
        if not message["params"].get("message", "").startswith("still working"):
            fields.setdefault("notifications", []).append(message)
        return
    for name, value in message.items():
        if name == "result" and value:
            fields |= {f"result.{key}": one for key, one in value.items()}
        elif name != "jsonrpc" and (name, value) != ("id", number):
            fields[name] = value


def normalize(value: Any, name: str = "") -> Any:
    """Sort keys whose order does not matter, and replace what is not compared."""
    if isinstance(value, list):
        return [normalize(one) for one in value]
    if not isinstance(value, dict) or name in ORDERED:
        return value
    value = dict(value)
    if name in ("result", "params"):
        value.pop("_meta", None)
    uri = str(value.get("uri"))
    if uri == "diagnostics://health" and "text" in value:
        value["text"] = f"an object of {sorted(json.loads(value['text']))}"
    elif uri.startswith("ui://") and "text" in value:
        value["text"] = value["text"][:15]
    if value.get("content") and "structuredContent" in value:
        # Most texts are the structured content, byte for byte.
        same = json.dumps(value["structuredContent"], ensure_ascii=False, separators=(",", ":"))
        for block in value["content"]:
            if block.get("text") == same:
                block["text"] = "= structuredContent"
    return {key: normalize(value[key], key) for key in sorted(value)}


def record(name: str) -> Table:
    """Run a profile, two runs at a time, and store equal values once."""
    profile = PROFILES[name]
    with ThreadPoolExecutor(2) as pool:
        recorded = list(pool.map(lambda run: record_run(profile, run), profile.runs))
    runs: dict[tuple[str, str, str], list[Run]] = {}
    for run, answers in zip(profile.runs, recorded, strict=True):
        for message, fields in answers.items():
            for field_name, value in fields.items():
                runs.setdefault((message, field_name, json.dumps(value)), []).append(run)
    table: Table = {}
    for (message, field_name, text), names in runs.items():
        values = table.setdefault(message, {}).setdefault(field_name, {})
        values[profile.name_runs(names)] = json.loads(text)
    return table


def load(name: str) -> Table:
    """Return the stored answers of a profile."""
    table: Table = json.loads((FOLDER / f"{name}.json").read_text())
    return table


def compare(name: str) -> str:
    """Return the differences between the stored and the current answers of a profile."""
    stored, current = load(name), record(name)
    lines = []
    for message in stored | current:
        before, after = stored.get(message, {}), current.get(message, {})
        for key in before | after:
            old, new = split_lines(before.get(key)), split_lines(after.get(key))
            difference = list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]
            if difference:
                lines += [f"== {name}: {message}: {key}", *difference[:60]]
    return "\n".join(lines)


def split_lines(value: Any) -> list[str]:
    """Return a value as indented JSON whose long lines are split."""
    text = json.dumps(value, indent=1, ensure_ascii=False).replace("\\n", "\\n\n")
    return [line[at : at + 150] for line in text.split("\n") for at in range(0, len(line), 150)]


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare with the stored answers")
    mode.add_argument("--write", action="store_true", help="store the current answers")
    parser.add_argument("--profile", action="append", choices=PROFILES, help="only this profile")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.profile or PROFILES:
        if arguments.write:
            text = json.dumps(record(name), indent=1) + "\n"
            (FOLDER / f"{name}.json").write_text(text)
            continue
        difference = compare(name)
        failed += bool(difference)
        print(difference or f"{name}: equal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
