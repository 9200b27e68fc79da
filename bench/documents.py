"""Facts, structure, unwanted words and reading order of documents, compared with markitdown and the
plain text of pypdfium2.

    [WEBQUARRY_BENCH_MARKITDOWN=PYTHON] python bench/documents.py [--misses] [--only NAME]

The files and what must come out of them are in `bench/documents/`, written by its `generate.py`.
markitdown runs in the interpreter that the variable names (`pip install 'markitdown[pdf,docx,pptx]'`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "documents"
KINDS = ("pdf", "docx", "pptx")
MARKITDOWN = """
import json, sys
from markitdown import MarkItDown
for line in sys.stdin:
    try:
        answer = MarkItDown().convert(line.strip()).markdown
    except Exception as error:
        answer = f"ERROR {error}"
    print(json.dumps(answer), flush=True)
"""
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)[^()]*\)")
MARKS = re.compile(r"\[\^\w+\]|</?\w+>|[\\*_`|#>${}]")
ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+(.*)")

Reader = Callable[[Path], str]  # an answer that begins with ERROR is an error message


def read_with_webquarry(path: Path) -> str:
    from webquarry._read.formats.documents import read_document
    from webquarry.errors import WebquarryError

    try:
        return read_document(
            path.suffix[1:], f"https://bench.example/{path.name}", path.read_bytes()
        ).markdown
    except WebquarryError as error:
        return f"ERROR {error}"


def read_with_pdfium(path: Path) -> str:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        return f"ERROR {error}"
    return "\n\n".join(page.get_textpage().get_text_range() for page in pdf)


def start_markitdown() -> Reader | None:
    """A reader in the interpreter of markitdown; None where it is not installed."""
    python = os.environ.get("WEBQUARRY_BENCH_MARKITDOWN", "")
    if not python:
        return None
    process = subprocess.Popen(
        [python, "-c", MARKITDOWN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def read(path: Path) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        print(path, file=process.stdin, flush=True)
        return str(json.loads(process.stdout.readline()))

    return read


def plain(text: str) -> str:
    """Words without Markdown syntax, with compatible characters normalized."""
    text = LINK.sub(r"\1", text)
    text = MARKS.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(text.split())


def has_structure(answer: str, wanted: dict[str, Any]) -> bool:
    """Whether a heading, row, item, link or line of code is in the Markdown."""
    kind, value = next(iter(wanted.items()))
    lines = answer.splitlines()
    if kind == "heading":
        return any(line.startswith("#") and plain(line) == plain(value) for line in lines)
    if kind == "row":
        return any(_has_cells(line, value) for line in lines if line.lstrip().startswith("|"))
    if kind == "item":
        items = (ITEM.match(line) for line in lines)
        return any(found and plain(value) in plain(found[1]) for found in items)
    if kind == "link":
        text, target = value
        return any(
            plain(found[1]) == text and found[2].startswith(target)
            for found in LINK.finditer(answer)
        )
    return any(value in block for block in answer.split("```")[1::2])


def _has_cells(line: str, wanted: list[str]) -> bool:
    cells: Iterator[str] = iter(plain(cell) for cell in line.split("|"))
    return all(plain(cell) in cells for cell in wanted)


def score(expected: dict[str, Any], answer: str) -> tuple[Counter[str], list[str]]:
    """What was found of what was expected, and a line for each miss."""
    counts: Counter[str] = Counter()
    misses: list[str] = []
    is_error = answer.startswith("ERROR ")
    text = "" if is_error else plain(answer)

    def count(what: str, found: bool, described: str) -> None:
        counts[f"{what} of"] += 1
        counts[what] += found
        if not found:
            misses.append(f"{what}: {described}")

    if expected.get("error"):
        word = expected["error"]
        count("facts", is_error and word.lower() in answer.lower(), f"error names {word}")
    for fact in expected.get("facts", ()):
        count("facts", plain(fact) in text, fact)
    for wanted in expected.get("structure", ()):
        count("structure", not is_error and has_structure(answer, wanted), str(wanted))
    for phrase in expected.get("absent", ()):
        counts["wrong of"] += 1
        if plain(phrase) in text:
            counts["wrong"] += 1
            misses.append(f"wrong: {phrase}")
    for before, after in pairwise(map(plain, expected.get("order", ()))):
        place = text.find(before)
        count("order", 0 <= place < text.find(after), f"{before} < {after}")
    return counts, misses


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--misses", action="store_true", help="list every miss")
    parser.add_argument("--only", default="", help="only files whose name contains this text")
    options = parser.parse_args()
    expectations = [json.loads(line) for line in (FOLDER / "facts.jsonl").read_text().splitlines()]
    readers: dict[str, Reader | None] = {
        "webquarry": read_with_webquarry,
        "markitdown": start_markitdown(),
        "pypdfium2": read_with_pdfium,
    }
    totals: dict[tuple[str, str], Counter[str]] = {}
    for expected in expectations:
        if options.only not in expected["file"]:
            continue
        path = FOLDER / "files" / expected["file"]
        kind = path.suffix[1:]
        for name, reader in readers.items():
            if reader is None or (name == "pypdfium2" and kind != "pdf"):
                continue
            counts, misses = score(expected, reader(path))
            totals.setdefault((name, kind), Counter()).update(counts)
            if options.misses:
                for miss in misses:
                    print(f"{name} {expected['file']}: {miss}")
    print(f"{'':12}{'':6}{'facts':>10}{'structure':>12}{'wrong words':>13}{'order':>10}")
    for name, reader in readers.items():
        if reader is None:
            print(f"{name:12}not installed (set WEBQUARRY_BENCH_{name.upper()} to its interpreter)")
        for kind in KINDS:
            counts = totals.get((name, kind), Counter())
            if counts:
                shares = [f"{counts[what]}/{counts[f'{what} of']}" for what in
                          ("facts", "structure", "wrong", "order")]  # fmt: skip
                print("{:12}{:6}{:>10}{:>12}{:>13}{:>10}".format(name, kind, *shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())
