"""Figures for Prometheus: what the meter reports is counted here, and shown at /metrics as text.

    webquarry_tool_seconds{tool,outcome}          histogram: calls of tools, and how long they took
    webquarry_provider_seconds{provider,outcome}  histogram: the same for those who were asked
    webquarry_requests_seconds{path,outcome}      histogram: requests over HTTP; the outcome is the
                                                  status
    webquarry_cache_total{result}                 hits and misses
    webquarry_refused_total{reason}               requests turned away before anything was done
    webquarry_records_refused_total{reason}       what could not be recorded, and why
    webquarry_records_up                          0 while nothing can be recorded
    webquarry_records_trouble{reason}             1 for the reason why
    webquarry_breaker_open{provider}              1 while a provider rests after failures
    webquarry_spend_usd_today                     what paid answers have cost today, from the ledger
                                                  of this machine
    webquarry_up_info{version}                    1

With several workers each keeps its figures in a file of its own, and whoever is asked adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from webquarry import __version__
from webquarry.errors import MissingExtra

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the library looks for the files of several processes
_BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120)
_SPANS = {"tool": ("tool",), "provider": ("provider",), "request": ("path",)}
_SPAN_NAMES = {"request": "requests"}  # where the metric is not named as the span is
_COUNTS = {"cache": ("result",), "refused": ("reason",), "records_refused": ("reason",)}
# A label's value stands between quotes in Prometheus's text format.
_LABEL_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def share_among_workers(folder: Path) -> None:
    """Keep the figures of several workers in this folder; call it before any of them begins."""
    metrics_folder = folder / "metrics"
    metrics_folder.mkdir()
    os.environ[FOLDER] = str(metrics_folder)


class Metrics:
    """Listens to the meter. `read_gauges` gives what is not reported but looked up: (name, labels,
    value).
    """

    def __init__(
        self, read_gauges: Callable[[], list[tuple[str, dict[str, str], float]]] | None = None
    ) -> None:
        try:
            import prometheus_client
        except ImportError:
            raise MissingExtra("http", "Showing figures at /metrics") from None
        self._library: Any = prometheus_client
        self._read_gauges = read_gauges or list
        self._registry = prometheus_client.CollectorRegistry()
        self._histograms: dict[str, Any] = {}
        for name, labels in _SPANS.items():
            self._histograms[name] = prometheus_client.Histogram(
                f"webquarry_{_SPAN_NAMES.get(name, name)}_seconds",
                f"Seconds by {' and '.join(labels)} and outcome.",
                [*labels, "outcome"],
                registry=self._registry,
                buckets=_BUCKETS,
            )
        self._known: dict[tuple[str, ...], Any] = {}  # by their names and labels, which are few
        self._counters: dict[str, Any] = {}
        for name, labels in _COUNTS.items():
            self._counters[name] = prometheus_client.Counter(
                f"webquarry_{name}",
                f"Count by {' and '.join(labels)}.",
                list(labels),
                registry=self._registry,
            )

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        """Add to a counter; what has none is passed over."""
        if name not in self._counters:
            return
        key = (name, *[labels[label] for label in _COUNTS[name]])
        counter = self._known.get(key)
        if counter is None:
            counter = self._known[key] = self._counters[name].labels(*key[1:])
        counter.inc(value)

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        """Add to a histogram; what has none is passed over."""
        if name not in self._histograms:
            return
        key = (name, *[labels[label] for label in _SPANS[name]], outcome)
        histogram = self._known.get(key)
        if histogram is None:
            histogram = self._known[key] = self._histograms[name].labels(*key[1:])
        histogram.observe(seconds)

    def within(self, name: str, labels: dict[str, str]) -> AbstractContextManager[None]:
        return nullcontext()

    def render(self) -> tuple[bytes, str]:
        """The figures as they are now, and their media type."""
        library = self._library
        registry = self._registry
        if os.environ.get(FOLDER):
            from prometheus_client import multiprocess

            registry = library.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        text = library.generate_latest(registry) + self._render_gauges()
        return text, library.CONTENT_TYPE_LATEST

    def _render_gauges(self) -> bytes:
        """What is looked up now. Every worker sees the same, so it belongs into nobody's file."""
        gauges = [("webquarry_up_info", {"version": __version__}, 1.0), *self._read_gauges()]
        lines: list[str] = []
        declared = set()
        for name, labels, value in gauges:
            if name not in declared:
                declared.add(name)
                lines.append(f"# TYPE {name} gauge")
            if labels:
                pairs = [
                    f'{key}="{text.translate(_LABEL_ESCAPES)}"' for key, text in labels.items()
                ]
                lines.append(f"{name}{{{','.join(pairs)}}} {value:g}")
            else:
                lines.append(f"{name} {value:g}")
        return ("\n".join(lines) + "\n").encode()
