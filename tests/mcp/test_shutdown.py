"""Signals and worker processes of the HTTP server."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.mcp.http_process import Served, http_server, message_in, modern
from tests.mcp.search_service import running_search
from tests.mcp.stdio_process import command_of

pytestmark = pytest.mark.slow

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
WORKERS = [(), ("--workers", "2")]


def find_children(parent: int) -> list[int]:
    """Return the workers of a server; its other child tracks resources of multiprocessing."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if "spawn_main" in read_command(child)]


def read_command(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return ""


def is_listening(server: Served) -> bool:
    address = urlsplit(server.url)
    with socket.socket() as client:
        return client.connect_ex((address.hostname, address.port)) == 0


def search(server: Served, revision: str) -> httpx2.Response:
    if revision == "handshake":
        return server.post("tools/call", SEARCH)
    body, headers = modern("tools/call", **SEARCH)
    return httpx2.post(server.url, json=body, headers=headers, timeout=60, trust_env=False)


@pytest.mark.parametrize("flags", WORKERS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_server_ends_without_output(number: int, flags: tuple[str, ...]) -> None:
    with http_server(REPLAY, *flags) as server:
        assert server.ask("tools/list")["tools"]
        server.process.send_signal(number)
        assert server.process.wait(20) == 0
        assert server.process.communicate() == ("", "")


@pytest.mark.parametrize(
    ("revision", "flags", "number"),
    [
        ("handshake", (), signal.SIGTERM),
        ("handshake", ("--workers", "2"), signal.SIGINT),
        ("modern", ("--workers", "2"), signal.SIGTERM),
    ],
)
def test_a_call_in_progress_is_answered_after_the_signal(
    revision: str, flags: tuple[str, ...], number: int
) -> None:
    with (
        running_search() as (service, environ),
        http_server(environ, *flags) as server,
        ThreadPoolExecutor(1) as executor,
    ):
        service.may_respond.clear()
        call = executor.submit(search, server, revision)
        assert service.requested.wait(60)
        # A terminal signals the whole process group.
        others = find_children(server.process.pid) if number == signal.SIGINT else []
        for process in (*others, server.process.pid):
            os.kill(process, number)
        while is_listening(server):
            pass  # until the signal has arrived
        service.may_respond.set()
        response = call.result(60)
        code = server.process.wait(60)

    assert message_in(response.text)["result"]["structuredContent"]["resultCount"] == 5
    assert code == 0


def test_calls_are_cancelled_after_the_grace_period() -> None:
    with (
        running_search() as (service, environ),
        http_server(environ | {"WEBQUARRY_HTTP_GRACE_SECONDS": "1"}) as server,
        ThreadPoolExecutor(1) as executor,
    ):
        service.may_respond.clear()
        call = executor.submit(search, server, "handshake")
        assert service.requested.wait(60)
        server.process.terminate()
        code = server.process.wait(25)
        response = call.result(60)

    assert code == 0
    assert (response.status_code, response.json()["error"]["code"]) == (503, -32000)


@pytest.mark.parametrize("flags", WORKERS)
def test_a_second_signal_ends_the_server_without_waiting_for_calls(flags: tuple[str, ...]) -> None:
    with (
        running_search() as (service, environ),
        http_server(environ | {"WEBQUARRY_HTTP_GRACE_SECONDS": "600"}, *flags) as server,
        ThreadPoolExecutor(1) as executor,
    ):
        service.may_respond.clear()
        call = executor.submit(search, server, "handshake")
        assert service.requested.wait(60)
        server.process.terminate()
        while is_listening(server):
            pass  # until the signal has arrived
        server.process.terminate()
        assert server.process.wait(25) == 0
        with suppress(httpx2.TransportError):
            assert call.result(60).status_code == 503


def test_a_dead_worker_is_replaced() -> None:
    with http_server(REPLAY, "--workers", "3") as server:
        server.post("ping")
        while len(workers := find_children(server.process.pid)) < 3:
            pass  # until all are started
        os.kill(workers[0], signal.SIGKILL)
        while set(find_children(server.process.pid)) <= set(workers):
            pass  # until the supervisor has noticed
        while len(find_children(server.process.pid)) < 3:
            pass
        for _ in range(5):
            assert server.post("ping").status_code == 200
        server.process.terminate()
        assert server.process.wait(30) == 0


def test_workers_end_with_their_parent() -> None:
    with http_server(REPLAY, "--workers", "3") as server:
        for _ in range(20):
            server.post("ping")
        handles = [os.pidfd_open(process) for process in find_children(server.process.pid)]
        server.process.kill()
        waiting = set(handles)
        while waiting:
            ready, _, _ = select.select(list(waiting), [], [], 30)
            assert ready, "a worker survived its parent"
            waiting -= set(ready)
        for handle in handles:
            os.close(handle)


@pytest.mark.parametrize("flags", WORKERS)
def test_a_server_that_cannot_be_built_does_not_listen(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    package = tmp_path / "opentelemetry"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError")
    tracing = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command_of(("webquarry", "mcp", "--http", "--port", "0", *flags)),
        env=dict(os.environ) | REPLAY | tracing,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    assert "Sending traces" in done.stderr
    assert "serving" not in done.stderr
