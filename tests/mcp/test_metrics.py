"""Prometheus metrics and OpenTelemetry traces."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.mcp.http_process import http_server
from webquarry import meter
from webquarry.errors import RateLimited
from webquarry.mcp.metrics import Metrics, is_tracing_enabled

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
BAD_PROVIDER = {"name": "web_search", "arguments": {"query": "x", "provider": "nonexistent"}}


def sample(text: str, name: str, **labels: str) -> float:
    """Return the value of the first sample with these labels."""
    for line in text.splitlines():
        pairs = [f'{key}="{value}"' for key, value in labels.items()]
        if line.startswith((f"{name}{{", f"{name} ")) and all(pair in line for pair in pairs):
            return float(line.rsplit(" ", 1)[1])
    raise AssertionError(f"no {name} {labels} in:\n{text}")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--workers", "2")])
def test_calls_are_counted_by_tool_and_outcome(flags: tuple[str, ...]) -> None:
    with http_server(REPLAY, *flags) as server:
        for _ in range(3):
            server.ask("tools/call", SEARCH)
        server.ask("tools/call", BAD_PROVIDER)
        text = server.get("/metrics").text

    calls = "webquarry_tool_seconds_count"
    assert sample(text, calls, tool="web_search", outcome="ok") == 3
    assert sample(text, calls, tool="web_search", outcome="bad_input") == 1
    assert sample(text, "webquarry_requests_seconds_count", path="/mcp", outcome="200") == 4
    assert sample(text, "webquarry_cache_total", result="miss") >= 1
    assert sample(text, "webquarry_provider_seconds_count", outcome="ok") >= 1
    assert sample(text, "webquarry_breaker_open", provider="duckduckgo") == 0
    assert sample(text, "webquarry_spend_usd_today") == 0
    assert sample(text, "webquarry_records_up") == 1
    assert "tidal" not in text


def test_spans_are_measured_by_outcome_and_gauges_are_escaped() -> None:
    metrics = Metrics(lambda: [("state", {"of": 'a "b"'}, 1.0), ("state", {"of": "c"}, 0.0)])
    meter.listen(metrics)
    try:
        with meter.span("tool", tool="a") as end:
            end("empty")
        with pytest.raises(RateLimited), meter.span("tool", tool="a"):
            raise RateLimited("Slow down.")
        with pytest.raises(ValueError, match="x"), meter.span("tool", tool="a"):
            raise ValueError("x")
        with meter.span("unknown"):
            meter.count("unknown")
    finally:
        meter.unlisten(metrics)
    text = metrics.render()[0].decode()

    for outcome in ("empty", "rate_limited", "internal"):
        assert sample(text, "webquarry_tool_seconds_count", tool="a", outcome=outcome) == 1
    assert 'webquarry_state{of="a \\"b\\""} 1' in text
    assert "unknown" not in text


@contextmanager
def running_collector() -> Iterator[tuple[str, queue.Queue[bytes]]]:
    """An OTLP collector."""
    received: queue.Queue[bytes] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", received
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_spans_are_exported_to_a_configured_endpoint() -> None:
    with running_collector() as (endpoint, received):
        environ = REPLAY | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        }
        with http_server(environ) as server:
            server.ask("tools/call", SEARCH)
            server.stop()
            assert server.process.returncode == 0
        sent = b"".join(received.get_nowait() for _ in range(received.qsize()))

    assert b"tool web_search" in sent
    assert b"request /mcp" in sent
    assert b"provider duckduckgo" in sent
    assert b"tidal" not in sent


def test_tracing_needs_an_endpoint() -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}

    assert not is_tracing_enabled({})
    assert not is_tracing_enabled(endpoint | {"OTEL_SDK_DISABLED": "true"})
    assert not is_tracing_enabled(endpoint | {"OTEL_TRACES_EXPORTER": "none"})
    assert is_tracing_enabled({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"})
