"""Pages that try to slip something past the reader, and pages that only look as if they did: each
by its label.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.read.converting import page

FOLDER = Path(__file__).parent / "injection"
LABELS = [json.loads(line) for line in (FOLDER / "labels.jsonl").read_text("utf-8").splitlines()]
each_page = pytest.mark.parametrize("label", LABELS, ids=lambda label: label["technique"])


def test_every_page_of_the_folder_has_a_label() -> None:
    assert {label["file"] for label in LABELS} == {path.name for path in FOLDER.glob("*.html")}


@each_page
def test_page_returns_only_visible_text(label: dict[str, Any]) -> None:
    text = page((FOLDER / label["file"]).read_text("utf-8")).text

    assert [wanted for wanted in label["must_contain"] if wanted not in text] == []
    assert [unwanted for unwanted in label["must_not_contain"] if unwanted in text] == []


@each_page
def test_removed_text_is_counted(label: dict[str, Any]) -> None:
    removed = set(page((FOLDER / label["file"]).read_text("utf-8")).removed) - {"navigation"}
    plain = {
        "control-persian-zwnj-emoji",
        "control-code-angle",
        "json-envelope-break",
        "meta-and-json",
    }

    assert bool(removed) != (label["technique"] in plain)


def test_joiners_that_words_and_families_need_stay_whole() -> None:
    text = page((FOLDER / "control-persian-zwnj-emoji.html").read_text("utf-8")).text

    assert "می\u200cخواهم" in text
    assert "👨\u200d👩\u200d👧" in text
