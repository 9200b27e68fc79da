"""Logs: to stderr, one line each, as text or as JSON, with every secret taken out."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from webquarry.secret import redact

_LABELS: ContextVar[Mapping[str, str]] = ContextVar(
    "webquarry_log_labels",
    default={},  # noqa: B039 - never changed
)


@contextmanager
def add_labels(**labels: str) -> Iterator[None]:
    """Put these on every line that is logged within the block, or by tasks begun in it."""
    token = _LABELS.set({**_LABELS.get(), **labels})
    try:
        yield
    finally:
        _LABELS.reset(token)


class RedactingFormatter(logging.Formatter):
    """Formats a record, traceback included, and then takes the secrets out of the whole of it."""

    def format(self, record: logging.LogRecord) -> str:
        labels = "".join(f" [{name} {value}]" for name, value in _LABELS.get().items())
        return redact(super().format(record) + labels)


class JsonFormatter(RedactingFormatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
            **_LABELS.get(),
        }
        if record.exc_info:
            fields["error"] = redact(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


def set_up(level: str, style: str = "text") -> None:
    """Send our log to stderr at this level, and nobody's to stdout. Calling it again changes the
    level and the style.
    """
    root = logging.getLogger()
    formatter: RedactingFormatter = RedactingFormatter("webquarry: %(levelname)s: %(message)s")
    if style == "json":
        formatter = JsonFormatter()
    ours = [
        handler for handler in root.handlers if isinstance(handler.formatter, RedactingFormatter)
    ]
    if not ours:
        ours = [logging.StreamHandler(sys.stderr)]
        root.addHandler(ours[0])
    for handler in ours:
        handler.setFormatter(formatter)
    # Libraries below us log request URLs and headers at lower levels.
    root.setLevel(logging.WARNING)
    logging.getLogger("webquarry").setLevel(level.upper())
