"""Limits and errors of all document formats."""

from __future__ import annotations

LONGEST_TEXT = 10_000_000  # characters of one document; the rest is left out with a note


class Refusal(Exception):
    """A document cannot be read. The message continues its name: "is protected by a password"."""
