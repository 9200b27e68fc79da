"""Figures for Prometheus: what the meter tells is counted here, and shown at /metrics as text.

    webquarry_tool_seconds{tool,outcome}            histogram: calls of tools by outcome, and how long they took
    webquarry_provider_seconds{provider,outcome}    histogram: the same for those who were asked
    webquarry_requests_seconds{path,outcome}        histogram: requests over HTTP; the outcome is the status
    webquarry_cache_total{result}                   hits and misses
    webquarry_refused_total{reason}                 requests turned away before anything was done
    webquarry_breaker_open{provider}                1 while a provider rests after failures
    webquarry_spend_usd_today                       what paid answers have cost today, from the ledger of this machine
    webquarry_up_info{version}                      1

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
_NAMES = {"request": "requests"}
_COUNTS = {"cache": ("result",), "refused": ("reason",)}


def share_among_workers(folder: Path) -> None:
    """Keep the figures of several workers in this folder; to be said before any of them begins."""
    place = folder / "metrics"
    place.mkdir()
    os.environ[FOLDER] = str(place)


class Metrics:
    """Listens to the meter. `look` gives what is not told but looked up: (name, labels, value)."""

    def __init__(
        self, look: Callable[[], list[tuple[str, dict[str, str], float]]] | None = None
    ) -> None:
        try:
            import prometheus_client
        except ImportError:
            raise MissingExtra("http", "Showing figures at /metrics") from None
        self._library: Any = prometheus_client
        self._look = look or list
        self._registry = prometheus_client.CollectorRegistry()
        self._spans = {name: self._histogram(name, labels) for name, labels in _SPANS.items()}
        self._counts = {name: self._counter(name, labels) for name, labels in _COUNTS.items()}

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        if name in self._counts:
            self._counts[name].labels(*(labels[label] for label in _COUNTS[name])).inc(value)

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        if name in self._spans:
            self._spans[name].labels(*(labels[label] for label in _SPANS[name]), outcome).observe(
                seconds
            )

    def within(self, name: str, labels: dict[str, str]) -> AbstractContextManager[None]:
        return nullcontext()

    def text(self) -> tuple[bytes, str]:
        """The figures as they are now, and their media type."""
        library = self._library
        registry = self._registry
        if os.environ.get(FOLDER):
            from prometheus_client import multiprocess

            registry = library.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        shown = library.generate_latest(registry)
        return shown + self._looked_up(), library.CONTENT_TYPE_LATEST

    def _looked_up(self) -> bytes:
        """What is looked up now. Every worker sees the same, so it belongs into nobody's file."""
        found = [("webquarry_up_info", {"version": __version__}, 1.0), *self._look()]
        lines: list[str] = []
        for name, labels, value in found:
            if not any(line.startswith(f"# TYPE {name} ") for line in lines):
                lines.append(f"# TYPE {name} gauge")
            inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
            lines.append(f"{name}{{{inside}}} {value:g}" if inside else f"{name} {value:g}")
        return ("\n".join(lines) + "\n").encode()

    def _histogram(self, name: str, labels: tuple[str, ...]) -> Any:
        called = f"webquarry_{_NAMES.get(name, name)}_seconds"
        return self._library.Histogram(
            called, f"Seconds by {' and '.join(labels)} and "
                    "outcome.", [*labels, "outcome"], registry=self._registry,
            buckets=_BUCKETS,
        )  # fmt: skip

    def _counter(self, name: str, labels: tuple[str, ...]) -> Any:
        return self._library.Counter(
            f"webquarry_{name}",
            f"Count by {' and '.join(labels)}.",
            list(labels),
            registry=self._registry,
        )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
