"""Log messages on stderr, as text or as JSON lines, with secrets masked."""

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
    """Add labels to every message of the block and of tasks that it starts."""
    token = _LABELS.set({**_LABELS.get(), **labels})
    try:
        yield
    finally:
        _LABELS.reset(token)


class RedactingFormatter(logging.Formatter):
    """Masks secrets in the formatted record with its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        labels = "".join(f" [{name} {value}]" for name, value in _LABELS.get().items())
        return redact(super().format(record) + labels)


class JsonFormatter(RedactingFormatter):
    """Formats a record as one line of JSON."""

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
    """Log to stderr at a level. Calling it again changes the level and the style."""
    root = logging.getLogger()
    formatter = RedactingFormatter("webquarry: %(levelname)s: %(message)s")
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
    # libraries log request URLs and headers at lower levels
    root.setLevel(logging.WARNING)
    logging.getLogger("webquarry").setLevel(level.upper())
