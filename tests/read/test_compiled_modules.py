"""Modules that are compiled as they stand: what they make of a page is what they make of it in
Python.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.markdown import walker
from webquarry._read.markdown.convert import to_markdown

TESTS = Path(__file__).parent.parent
URL = "https://example.com/a/b"

# Finds our modules as Python only, except the one that has no counterpart in Python.
IN_PYTHON = r"""
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("webquarry") or name.endswith("style._match"):
            return None
        for folder in path or sys.path:
            spec = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
        return None

sys.meta_path.insert(0, Finder)
from tests.read.test_compiled_modules import describe_pages, walker
assert walker.__file__.endswith(".py")
print(*describe_pages(), sep="\n")
"""


def describe_pages() -> list[str]:
    """For each page of the tests, hashes of the whole of it and of its main content as Markdown."""
    lines = []
    for path in sorted(TESTS.rglob("*.html")):
        document = parse_html(path.read_text("utf-8", "replace"))
        main = render_selection(document, select_main_content(document), URL)
        for page in (to_markdown(document, URL), main):
            facts = repr((page.text, page.title, sorted(page.removed.items()), page.notes))
            digest = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()
            lines.append(f"{path.name} {digest}")
    return lines


@pytest.mark.skipif(
    not str(walker.__file__).endswith(tuple(EXTENSION_SUFFIXES)), reason="it was not built"
)
@pytest.mark.slow
def test_pages_read_by_compiled_modules_and_in_python_come_out_the_same() -> None:
    command = [sys.executable, "-c", IN_PYTHON]
    in_python = subprocess.run(
        command, cwd=TESTS.parent, capture_output=True, text=True, check=True
    )

    assert describe_pages() == in_python.stdout.splitlines()
