"""Writes the sample documents that programs make: `python -m tests.read.formats.make_samples` from
the project's folder.

The expected Markdown beside each sample is written by hand, or looked at by one before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.read.formats import sample_office, sample_pdfs

FOLDER = Path(__file__).parent / "samples"
SAMPLES: dict[str, Callable[[], bytes]] = {
    "paper.pdf": sample_pdfs.paper,
    "report.pdf": sample_pdfs.report,
    "hidden.pdf": sample_pdfs.hidden,
    "scan.pdf": sample_pdfs.scan,
    "locked.pdf": sample_pdfs.locked,
    "letter.docx": sample_office.letter,
    "deck.pptx": sample_office.deck,
}

if __name__ == "__main__":
    for name, make in SAMPLES.items():
        (FOLDER / name).write_bytes(make())
