"""Formats of documents, tested with the files in `samples`."""

from pathlib import Path

FOLDER = Path(__file__).parent / "samples"
