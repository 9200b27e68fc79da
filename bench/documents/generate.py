"""Write the files and `facts.jsonl` of the documents bench. Run by hand; the result is committed.

    python bench/documents/generate.py [NAME ...]

Needs python-docx, python-pptx, reportlab, fpdf2, pikepdf, weasyprint and typst in the interpreter,
and chromium, soffice, groff and gs on the PATH, with the DejaVu and Noto CJK fonts.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import docx_files  # noqa: F401
import pdf_files  # noqa: F401
import pptx_files  # noqa: F401
from common import WRITERS

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"


def main() -> None:
    FILES.mkdir(exist_ok=True)
    wanted = sys.argv[1:] or list(WRITERS)
    for name in wanted:
        _, write = WRITERS[name]
        write(FILES / name)
        print(f"{name}: {(FILES / name).stat().st_size:,} bytes")
    lines = []
    for expected, _ in WRITERS.values():
        fields = {key: value for key, value in asdict(expected).items() if value}
        lines.append(json.dumps(fields, ensure_ascii=False))
    (HERE / "facts.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
