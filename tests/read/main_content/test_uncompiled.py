"""A page comes out the same where nothing could be compiled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import webquarry

PACKAGE = Path(webquarry.__file__).parent
PARTS = tuple(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.pyx")
    if path.parent.name != "style"  # it has no counterpart in Python
)
PAGES = sorted((Path(__file__).parent / "pages").rglob("*.html"))
SCRIPT = """
import json, sys
from pathlib import Path
without, *paths = json.loads(sys.stdin.read())
sys.modules.update(dict.fromkeys(without))  # None there is an ImportError
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.main_content.blocks import Walk
print(json.dumps([Walk.__module__, *[
    render_selection(document, select_main_content(document), "https://example.org/").text
    for document in (parse_html(Path(path).read_text("utf-8")) for path in paths)
]]))
"""


def read(without: tuple[str, ...]) -> tuple[str, list[str]]:
    """Where the walk comes from, and the pages as Markdown."""
    request = json.dumps([without, *map(str, PAGES)])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=request, capture_output=True, text=True, check=True
    )
    walk, *texts = json.loads(done.stdout)
    return walk, texts


def test_a_process_that_reads_pages_does_without_numpy() -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled trees were not built"
    )
    program = (
        "import sys; from webquarry.pages.preload import read_sample_page;"
        "from webquarry._read.workers.job import Job; read_sample_page(Job(read_sample_page)); print('numpy' in sys.modules,"
        "'webquarry._read.main_content.model' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.split() == ["False", "True"], done.stderr


def test_pages_come_out_the_same_without_the_compiled_parts() -> None:
    walk, texts = read(PARTS)
    compiled_walk, compiled_texts = read(())

    if compiled_walk == walk:
        pytest.skip("the parts were not built")
    assert walk == "webquarry._read.main_content.walk"
    assert len(texts) == len(PAGES) >= 3
    assert len(PARTS) >= 4
    assert all(texts)
    assert texts == compiled_texts
