"""One page with everything on it, and the Markdown it has to become, side by side in files."""

from __future__ import annotations

from pathlib import Path

from tests.read.converting import page

FOLDER = Path(__file__).parent / "golden"


def test_the_golden_page_becomes_the_golden_markdown() -> None:
    result = page((FOLDER / "page.html").read_text("utf-8"), "https://example.org/docs/golden.html")

    assert result.text + "\n" == (FOLDER / "page.md").read_text("utf-8")
    assert result.title == "The golden page — everything at once"


def test_the_golden_page_says_what_it_lost() -> None:
    removed = page((FOLDER / "page.html").read_text("utf-8")).removed

    assert removed == {
        "navigation": 1,
        "screen reader class": 1,
        "page control": 1,
        "hidden attribute": 1,
        "display none": 1,
        "comment": 1,
        "unsafe link": 1,
        "form control": 2,
        "zero-width character": 1,
        "bidi control": 1,
        "chat delimiter": 3,
    }
