"""What those who run a server see of it: its health, its figures, the ids of requests, traces."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import re
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from tests.surfaces.server.asgi import asked
from tests.surfaces.server.http_process import Served, http_server, message_in, modern
from tests.surfaces.server.issuer import issuing
from tests.surfaces.server.test_authentication import children_of
from tests.surfaces.server.test_cluster import searxng
from webquarry import meter
from webquarry.errors import RateLimited
from webquarry.surfaces.server.metrics import Metrics
from webquarry.surfaces.server.request_tracking import RequestTracking
from webquarry.surfaces.server.tokens import METRICS, TokenFile
from webquarry.surfaces.server.traces import is_enabled

pytestmark = pytest.mark.slow

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
NOBODY = {"name": "web_search", "arguments": {"query": "x", "provider": "nobody"}}


def get(server: Served, path: str, **headers: str) -> httpx2.Response:
    return httpx2.get(
        server.url.replace("/mcp", path), headers=headers, timeout=30, trust_env=False
    )


def sample(text: str, name: str, **labels: str) -> float:
    """The value of a figure with these labels, whatever others it has."""
    for line in text.splitlines():
        if line.startswith((f"{name}{{", f"{name} ")) and all(
            f'{key}="{value}"' in line for key, value in labels.items()
        ):
            return float(line.rsplit(" ", 1)[1])
    raise AssertionError(f"no {name} {labels} in:\n{text}")


@pytest.mark.parametrize("flags", [(), ("--workers", "2")])
def test_calls_are_counted_by_tool_and_outcome(flags: tuple[str, ...]) -> None:
    with http_server(REPLAY, *flags) as server:
        for _ in range(3):
            server.ask("tools/call", SEARCH)
        server.ask("tools/call", NOBODY)
        figures = get(server, "/metrics").text

    assert sample(figures, "webquarry_tool_seconds_count", tool="web_search", outcome="ok") == 3
    assert (
        sample(figures, "webquarry_tool_seconds_count", tool="web_search", outcome="bad_input") == 1
    )
    assert sample(figures, "webquarry_requests_seconds_count", path="/mcp", outcome="200") == 4
    assert sample(figures, "webquarry_cache_total", result="hit") >= 1
    assert sample(figures, "webquarry_cache_total", result="miss") >= 1
    assert sample(figures, "webquarry_provider_seconds_count", outcome="ok") >= 1
    assert sample(figures, "webquarry_breaker_open", provider="duckduckgo") == 0
    assert sample(figures, "webquarry_spend_usd_today") == 0
    assert "tidal" not in figures


def test_figures_take_a_token_of_their_own_where_there_is_a_gate_and_health_takes_none(
    tmp_path: Path,
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    caller, watcher = tokens.add("laptop"), tokens.add("prometheus", use=METRICS)
    environ = REPLAY | {"WEBQUARRY_HTTP_AUTH": "token", "WEBQUARRY_TOKENS_FILE": str(tokens.path)}
    with http_server(environ) as server:
        answers = [get(server, "/metrics")] + [
            get(server, path, Authorization=f"Bearer {token}")
            for path, token in (("/metrics", caller), ("/metrics/", caller), ("/metrics", watcher))
        ]
        asked = server.post("tools/list", headers={"Authorization": f"Bearer {watcher}"})
        health = [get(server, path) for path in ("/health/live", "/health/ready")]

    assert [one.status_code for one in answers] == [401, 403, 403, 200]
    assert answers[1].json() == {
        "error": "insufficient_scope",
        "error_description": "This token is not for /metrics: make one with webquarry token add "
        "NAME --metrics.",
    }
    assert "webquarry_up_info" not in answers[1].text
    assert asked.status_code == 403
    assert asked.json()["error_description"] == "This token is for /metrics alone."
    assert [one.json() for one in health] == [{"status": "ok"}, {"status": "ok"}]


@pytest.mark.parametrize("named", ["webquarry:metrics", "ops.read"])
def test_figures_take_one_scope_of_a_token_of_an_issuer_and_no_other(named: str) -> None:
    with issuing() as issuer:
        environ = REPLAY | {
            "WEBQUARRY_OAUTH_ISSUER": issuer.url,
            "WEBQUARRY_HTTP_RESOURCE": "https://quarry.example.org/mcp",
            "WEBQUARRY_OAUTH_SCOPES": "quarry",
            "WEBQUARRY_METRICS_SCOPE": named,
        }
        with http_server(environ) as server:
            codes = {
                scope: [
                    get(
                        server, "/metrics", Authorization=f"Bearer {issuer.token(scope=scope)}"
                    ).status_code,
                    server.post(
                        "ping", headers={"Authorization": f"Bearer {issuer.token(scope=scope)}"}
                    ).status_code,
                ]
                for scope in ("quarry", named, f"quarry {named}", f"{named}s")
            }
            refused = get(
                server, "/metrics", Authorization=f"Bearer {issuer.token(scope='quarry')}"
            )
            metadata = get(server, "/.well-known/oauth-protected-resource/mcp").json()

    assert codes == {
        "quarry": [403, 200],
        named: [200, 403],
        f"quarry {named}": [200, 200],
        f"{named}s": [403, 403],
    }
    assert f'scope="{named}"' in refused.headers["www-authenticate"]
    assert f"the scope {named}, which /metrics needs" in refused.json()["error_description"]
    assert metadata["scopes_supported"] == ["quarry"]  # clients would ask for all that stand there


def test_without_metrics_there_is_no_such_page() -> None:
    with http_server(REPLAY | {"WEBQUARRY_METRICS": "0"}) as server:
        assert get(server, "/metrics").status_code == 404


def test_a_server_told_to_end_first_says_that_no_more_should_come() -> None:
    with http_server(REPLAY | {"WEBQUARRY_HTTP_DRAIN_SECONDS": "600"}) as server:
        assert get(server, "/health/ready").status_code == 200
        server.process.terminate()
        while get(server, "/health/ready").status_code == 200:
            pass  # the signal is on its way
        assert get(server, "/health/ready").json() == {"status": "draining"}
        assert server.ask("tools/call", SEARCH)  # whoever comes meanwhile is still served
        server.process.terminate()  # in a hurry now
        assert server.process.wait(30) == 0


def search(server: Served, revision: str) -> httpx2.Response:
    """A search, as clients of this revision ask: the older ones are answered by a stream of
    events.
    """
    if revision == "old":
        return server.post("tools/call", SEARCH)
    body, headers = modern("tools/call", **SEARCH)
    return httpx2.post(server.url, json=body, headers=headers, timeout=60, trust_env=False)


def told_to_end(server: Served, number: int) -> None:
    """A terminal tells the whole group of processes, anybody else only the first one."""
    group = children_of(server.process.pid) if number == signal.SIGINT else []
    for one in (*group, server.process.pid):
        os.kill(one, number)


def is_listening(server: Served) -> bool:
    address = urlsplit(server.url)
    with socket.socket() as asking:
        return asking.connect_ex((address.hostname, address.port)) == 0


@pytest.mark.parametrize(
    ("revision", "flags", "number"),
    [
        ("old", (), signal.SIGTERM),
        ("old", ("--workers", "2"), signal.SIGINT),
        ("modern", ("--workers", "2"), signal.SIGTERM),
    ],
)
def test_a_call_that_is_under_way_when_the_server_is_told_to_end_is_answered(
    revision: str, flags: tuple[str, ...], number: int
) -> None:
    with (
        searxng() as (provider, environ),
        http_server(environ, *flags) as server,
        ThreadPoolExecutor(1) as apart,
    ):
        provider.let.clear()
        call = apart.submit(search, server, revision)
        assert provider.came.wait(60)
        told_to_end(server, number)
        while is_listening(server):
            pass  # the signal is on its way
        assert not wait([call], timeout=1).done  # time enough to be cut off
        provider.let.set()
        answer = call.result(60)
        code = server.process.wait(60)

    assert message_in(answer.text)["result"]["structuredContent"]["resultCount"] == 5
    assert code == 0


def keep_asking(server: Served, answered: threading.Event) -> None:
    """A client that asks on one connection after the other, until nobody lets it in."""
    while True:
        try:
            with httpx2.Client(trust_env=False, timeout=60) as client:
                while client.get(server.url.replace("/mcp", "/health/live")).status_code == 200:
                    answered.set()
        except httpx2.ConnectError:
            return
        except httpx2.TransportError:
            continue  # cut off: it comes again


@pytest.mark.parametrize("flags", [(), ("--workers", "2")])
def test_clients_that_come_again_and_again_do_not_hold_up_the_end(flags: tuple[str, ...]) -> None:
    environ = REPLAY | {"WEBQUARRY_HTTP_GRACE_SECONDS": "600"}
    with http_server(environ, *flags) as server, ThreadPoolExecutor(4) as apart:
        answered = [threading.Event() for _ in range(4)]
        clients = [apart.submit(keep_asking, server, event) for event in answered]
        assert all(event.wait(60) for event in answered)
        server.process.terminate()
        code = server.process.wait(60)  # less than the time for calls under way
        for client in clients:
            client.result(60)

    assert code == 0


def test_a_second_signal_waits_for_no_call() -> None:
    with (
        searxng() as (provider, environ),
        http_server(environ) as server,
        ThreadPoolExecutor(1) as apart,
    ):
        provider.let.clear()
        call = apart.submit(search, server, "old")
        assert provider.came.wait(60)
        server.process.terminate()
        while is_listening(server):
            pass
        server.process.terminate()
        assert server.process.wait(25) == 0  # less than what calls are given
        with suppress(httpx2.TransportError):  # nobody tells the client, or that it was given up
            assert call.result(60).status_code >= 500


def test_there_is_no_stream_that_would_stay_open_for_nothing() -> None:
    with http_server(REPLAY) as server:
        for path in ("/mcp", "/mcp/"):
            answer = get(server, path, Accept="text/event-stream")
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_client_that_hung_up_is_no_failure_of_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        """Nobody is there any more."""

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("broken")

    caplog.set_level("INFO", "webquarry")
    asyncio.run(asked(RequestTracking(silent)))
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(asked(RequestTracking(broken)))

    said = [record.getMessage() for record in caplog.records]
    assert [text.split()[2] for text in said] == ["499", "500"]


def test_every_request_has_an_id_on_its_answer_and_in_the_log() -> None:
    with http_server(REPLAY, "--log-level", "info", "--log-format", "json") as server:
        given = server.post("ping", headers={"X-Request-Id": "from-the-balancer-1"})
        made = server.post("ping")
        odd = server.post("ping", headers={"X-Request-Id": "a b{}"})
        server.process.terminate()
        _, logged = server.process.communicate(timeout=30)

    assert given.headers["x-request-id"] == "from-the-balancer-1"
    assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    assert re.fullmatch("[0-9a-f]{16}", odd.headers["x-request-id"])
    lines = [json.loads(line) for line in logged.splitlines() if line.startswith("{")]
    marked = {line.get("request") for line in lines if line["message"].startswith("POST /mcp 200")}
    assert marked == {
        "from-the-balancer-1",
        made.headers["x-request-id"],
        odd.headers["x-request-id"],
    }


@contextmanager
def collector() -> Iterator[tuple[str, queue.Queue[bytes]]]:
    """Somebody who takes traces."""
    taken: queue.Queue[bytes] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", taken
        finally:
            server.shutdown()
            thread.join()


def test_traces_are_sent_where_an_endpoint_is_configured() -> None:
    with collector() as (endpoint, taken):
        environ = REPLAY | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        }
        with http_server(environ) as server:
            server.ask("tools/call", SEARCH)
            server.process.terminate()
            assert server.process.wait(30) == 0
        sent = b"".join(taken.get_nowait() for _ in range(taken.qsize()))

    assert b"tool web_search" in sent
    assert b"request /mcp" in sent
    assert b"provider duckduckgo" in sent
    assert b"tidal" not in sent  # what was asked is nobody's business


def test_without_an_endpoint_there_are_no_traces() -> None:
    assert not is_enabled({})
    assert not is_enabled({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"})
    assert is_enabled({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"})


def test_a_span_is_told_with_its_outcome_and_errors_by_their_kind() -> None:
    metrics = Metrics()
    meter.listen(metrics)
    try:
        with meter.span("tool", tool="a") as end:
            end("empty")
        with pytest.raises(RateLimited), meter.span("tool", tool="a"):
            raise RateLimited("Slow down.")
        with pytest.raises(ValueError, match="x"), meter.span("tool", tool="a"):
            raise ValueError("x")
    finally:
        meter.unlisten(metrics)
    text = metrics.render()[0].decode()

    for outcome in ("empty", "rate_limited", "internal"):
        assert sample(text, "webquarry_tool_seconds_count", tool="a", outcome=outcome) == 1


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/metrics"])
def test_on_this_machine_a_page_under_another_name_learns_nothing(path: str) -> None:
    with http_server(REPLAY) as server:
        port = urlsplit(server.url).port
        ours = [f"127.0.0.1:{port}", f"localhost:{port}", "localhost", f"[::1]:{port}"]
        others = [f"rebound.example:{port}", "rebound.example", "localhost.rebound.example", ""]
        assert {get(server, path, Host=host).status_code for host in ours} == {200}
        assert {get(server, path, Host=host).status_code for host in others} == {421}
