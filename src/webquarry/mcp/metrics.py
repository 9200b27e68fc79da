"""Prometheus metrics and OpenTelemetry traces: listeners of the meter.

`docs/teams.md` lists the metrics. Several processes keep theirs in files below
PROMETHEUS_MULTIPROC_DIR; /metrics adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from webquarry import __version__
from webquarry.errors import MissingExtra, WebquarryError
from webquarry.meter import Listener

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # variable of the library
Gauge = tuple[str, dict[str, str], float]  # name, labels, value
_BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120)
_HISTOGRAMS = {"tool": "tool", "provider": "provider", "request": "path"}  # label by span
_COUNTERS = {"cache": "result", "refused": "reason", "records_refused": "reason"}


class Metrics(Listener):
    """Collects metrics; `read_gauges` returns those that are looked up when rendering."""

    def __init__(self, read_gauges: Callable[[], list[Gauge]] = list) -> None:
        try:
            import prometheus_client as library
        except ImportError:
            raise MissingExtra("http", "Serving /metrics") from None
        self._library = library
        self._read_gauges = read_gauges
        self._registry = library.CollectorRegistry()
        self._metrics: dict[str, Any] = {}
        for span, label in _HISTOGRAMS.items():
            self._metrics[span] = library.Histogram(
                f"webquarry_{'requests' if span == 'request' else span}_seconds",
                f"Seconds by {label} and outcome.",
                [label, "outcome"],
                registry=self._registry,
                buckets=_BUCKETS,
            )
        for name, label in _COUNTERS.items():
            self._metrics[name] = library.Counter(
                f"webquarry_{name}", f"Count by {label}.", [label], registry=self._registry
            )

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        """Add to a counter."""
        if name in _COUNTERS:
            self._metrics[name].labels(labels[_COUNTERS[name]]).inc(value)

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        """Add to a histogram."""
        if name in _HISTOGRAMS:
            self._metrics[name].labels(labels[_HISTOGRAMS[name]], outcome).observe(seconds)

    def collect(self) -> Iterator[Any]:
        """Return the gauges: every process sees the same values, so they are not added up."""
        families: dict[str, Any] = {}
        gauges = [("up_info", {"version": __version__}, 1.0), *self._read_gauges()]
        for name, labels, value in gauges:
            if name not in families:
                family = self._library.metrics_core.GaugeMetricFamily
                families[name] = family(f"webquarry_{name}", name, labels=list(labels))
            families[name].add_metric(list(labels.values()), value)
        yield from families.values()

    def render(self) -> tuple[bytes, str]:
        """Return the metrics in the text format, and their media type."""
        registry = self._registry
        if os.environ.get(SHARED_FOLDER):
            from prometheus_client import multiprocess

            registry = self._library.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        text = self._library.generate_latest(registry) + self._library.generate_latest(self)
        return text, self._library.CONTENT_TYPE_LATEST


def read_gauges(kit: Toolkit) -> list[Gauge]:
    """Return the gauges of a toolkit; unreadable ones are left out."""
    from webquarry.ask.ledger import spent_since

    gauges: list[Gauge] = []
    for provider, state in kit.router.services.states().items():
        gauges.append(("breaker_open", {"provider": provider}, float(state == "open")))
    day = f"{kit.clock.now():%Y-%m-%d}"
    with suppress(WebquarryError):  # already logged
        rows = kit.records.do(lambda database, _: spent_since(database, day))
        gauges.append(("spend_usd_today", {}, sum(row.usd for row in rows)))
    reason: str | None = kit.records.trouble
    if kit.redis is not None:
        gauges.append(("redis_up", {}, float(kit.redis.is_up)))
        reason = kit.redis.refusal if kit.redis.is_up else "unavailable"
    elif reason is None and kit.records.has_damaged_rows:
        reason = "damaged"
    gauges.append(("records_up", {}, float(reason is None)))
    if reason is not None:
        gauges.append(("records_trouble", {"reason": str(reason)}, 1.0))
    return gauges


def is_tracing_enabled(environ: Mapping[str, str]) -> bool:
    """Return whether an OTLP endpoint is configured."""
    is_disabled = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if is_disabled or environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    kinds = ("", "TRACES_")
    return any(environ.get(f"OTEL_EXPORTER_OTLP_{kind}ENDPOINT") for kind in kinds)


class Traces(Listener):
    """Exports each span of the meter to OpenTelemetry."""

    def __init__(self) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise MissingExtra("http", "Sending traces") from None
        resource = Resource.create({"service.name": "webquarry", "service.version": __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("webquarry", __version__)
        self.close = self._provider.shutdown  # sends what is still buffered

    @contextmanager
    def within(self, name: str, labels: dict[str, str]) -> Iterator[None]:
        """Open a span named by the meter's name and labels."""
        attributes = {f"webquarry.{key}": value for key, value in labels.items()}
        title = " ".join([name, *labels.values()])
        with self._tracer.start_as_current_span(title, attributes=attributes):
            yield
