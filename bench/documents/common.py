"""Registration of the documents of the bench, and helpers of their generators."""

from __future__ import annotations

import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Writer = Callable[[Path], None]


@dataclass
class Expected:
    """What a reader must return for one file."""

    file: str
    producer: str
    facts: list[str] = field(default_factory=list)  # phrases that must be in the text
    structure: list[dict[str, Any]] = field(default_factory=list)  # headings, rows, items, links
    absent: list[str] = field(default_factory=list)  # phrases that must not be in the text
    order: list[str] = field(default_factory=list)  # phrases in reading order
    error: str = ""  # a word of the error message, where there is no text to read


WRITERS: dict[str, tuple[Expected, Writer]] = {}


def document(file: str, producer: str, **expected: Any) -> Callable[[Writer], Writer]:
    """Register the function that writes `file`."""

    def register(write: Writer) -> Writer:
        WRITERS[file] = (Expected(file, producer, **expected), write)
        return write

    return register


def run(*command: str) -> None:
    """Run a program and raise if it fails."""
    subprocess.run(command, check=True, capture_output=True)


def convert_with_office(source: bytes, suffix: str, path: Path, *filters: str) -> None:
    """Convert a file with LibreOffice, through one export filter after the other."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, f"source{suffix}")
        written.write_bytes(source)
        for name in filters:
            run("soffice", "--headless", "--convert-to", name, "--outdir", folder, str(written))
            written = written.with_suffix("." + name.partition(":")[0])
        path.write_bytes(written.read_bytes())


def edit_zip(path: Path, edit: Callable[[dict[str, bytes]], None]) -> None:
    """Change the parts of an Office file in place."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    edit(parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


def heading(text: str) -> dict[str, Any]:
    return {"heading": text}


def row(*cells: str) -> dict[str, Any]:
    """Cells that must be in one row of a table, in this order."""
    return {"row": list(cells)}


def item(text: str) -> dict[str, Any]:
    return {"item": text}


def link(text: str, target: str) -> dict[str, Any]:
    return {"link": [text, target]}


def code(line: str) -> dict[str, Any]:
    """A line that must be in a fenced block."""
    return {"code": line}
