"""Logs: to stderr, one line each, with every secret taken out."""

from __future__ import annotations

import logging
import sys

from webquarry.secret import redact


class RedactingFormatter(logging.Formatter):
    """Formats a record, traceback included, and then takes the secrets out of the whole of it."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def set_up(level: str) -> None:
    """Send our log to stderr at this level, and nobody's to stdout. Calling it again only changes the level."""
    root = logging.getLogger()
    if not any(isinstance(handler.formatter, RedactingFormatter) for handler in root.handlers):
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(RedactingFormatter("webquarry: %(levelname)s: %(message)s"))
        root.addHandler(handler)
    root.setLevel(logging.WARNING)  # libraries below us log request URLs and headers at lower levels
    logging.getLogger("webquarry").setLevel(level.upper())
