"""Unused objects that hold each other: what a page leaves behind, and when it is looked for."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from pathlib import Path

from webquarry.read.html.parse import parse_html
from webquarry.read.main_content.render import render_selection
from webquarry.read.main_content.select import select_main_content

PAGE = (Path(__file__).parent.parent.parent.parent / "README.md").read_text("utf-8")
CSS = "<style>.a .b{display:none}.x:not(.y){opacity:0}:root{--c:#fff}p{color:var(--c)}</style>"


def test_a_page_that_was_read_leaves_nothing_that_holds_itself() -> None:
    html = (
        f"<html><head>{CSS}</head><body><p class=a>{PAGE[:2000]}<b class=b>z</b></p></body></html>"
    )
    gc.collect()
    gc.disable()
    try:
        document = parse_html(html)
        render_selection(document, select_main_content(document), "https://example.org/")
        del document
        assert gc.collect() < 50
    finally:
        gc.enable()


def test_a_process_that_reads_pages_looks_for_unused_objects_between_them() -> None:
    program = """
import gc
from webquarry.read.workers.garbage import collect_if_due, put_off_collection
put_off_collection()
found = []
gc.callbacks.append(lambda phase, info: found.append(phase))
for number in range(30_000):
    pair = []
    pair.append(pair)
print(found)
collect_if_due()
print(found)
collect_if_due()
print(found)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    while_reading, when_due, when_not_due = map(ast.literal_eval, done.stdout.splitlines())

    assert while_reading == []
    assert when_due == ["start", "stop"]
    assert when_not_due == when_due
