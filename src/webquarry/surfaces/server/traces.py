"""Traces for OpenTelemetry, when an endpoint is configured by its usual variables; nothing is
loaded otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from webquarry import __version__
from webquarry.errors import MissingExtra

log = logging.getLogger(__name__)

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def is_enabled(environ: Mapping[str, str]) -> bool:
    """Whether somebody collects traces."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    return any(environ.get(name) for name in _ENDPOINTS)


class Traces:
    """Listens to the meter: each span of ours is one of theirs, within the one that is open."""

    def __init__(self) -> None:
        try:
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise MissingExtra("http", "Sending traces") from None
        resource = Resource.create({"service.name": "webquarry", "service.version": __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(self._provider)
        self._tracer = self._provider.get_tracer("webquarry", __version__)
        self._current: Callable[[], Any] = trace.get_current_span

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        """Counts are no traces."""

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        """The span has ended by itself."""

    @contextmanager
    def within(self, name: str, labels: dict[str, str]) -> Iterator[None]:
        """A span of theirs around one of ours, named by it and its labels."""
        attributes = {f"webquarry.{key}": value for key, value in labels.items()}
        title = " ".join([name, *labels.values()])
        with self._tracer.start_as_current_span(title, attributes=attributes):
            yield

    def close(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()
