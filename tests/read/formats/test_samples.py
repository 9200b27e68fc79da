"""Sample documents and their expected Markdown."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.read.formats import FOLDER
from tests.read.workers.sync_pool import SyncPool
from webquarry._read.detect import pick_format
from webquarry._read.format import ConvertedDocument, FetchedDocument
from webquarry._read.models import Dated, Page
from webquarry.errors import Unreadable
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit

EXPECTED = sorted(FOLDER.glob("*.md"))


def read(name: str) -> ConvertedDocument:
    source = FetchedDocument(f"https://site.example/files/{name}", (FOLDER / name).read_bytes())
    return pick_format(source).to_markdown(source)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_sample_matches_expected_markdown(expected: Path) -> None:
    assert read(expected.stem).markdown + "\n" == expected.read_text("utf-8")


@pytest.mark.parametrize("name", ["paper.pdf", "letter.docx", "deck.pptx"])
def test_result_is_deterministic_across_processes(name: str) -> None:
    kind, body = name.rpartition(".")[2], (FOLDER / name).read_bytes()
    answers = []
    for _ in range(2):  # each worker has its own hash seed
        with SyncPool() as pool:
            answers.append(pool.read(kind, "https://site.example/", body))

    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("name", "title", "author", "published", "modified"),
    [
        (
            "paper.pdf",
            "What the tide leaves behind",
            "Ada Ferry, Bram Lock",
            Dated("2024-05-12T08:30:00+02:00", "pdf:CreationDate"),
            Dated("2024-06-01", "pdf:ModDate"),
        ),
        (
            "letter.docx",
            "Notice 14",
            "Harbour Office",
            Dated("2024-03-01T08:00:00Z", "docx:created"),
            Dated("2024-03-02T09:30:00Z", "docx:modified"),
        ),
        (
            "deck.pptx",
            "Mud, and what to do about it",
            "B. Lock",
            Dated("2024-04-01T10:00:00Z", "pptx:created"),
            Dated("2024-04-02T10:00:00Z", "pptx:modified"),
        ),
        (
            "news.rss",
            "Harbour news & notices",
            "Harbour Office",
            None,
            Dated("2024-05-02T09:00:00Z", "rss:lastBuildDate"),
        ),
    ],
)
def test_document_metadata_is_read(
    name: str, title: str, author: str, published: Dated | None, modified: Dated | None
) -> None:
    draft = read(name)

    assert (draft.title, draft.author, draft.published, draft.modified) == (
        title,
        author,
        published,
        modified,
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "scan.pdf",
            r"scan\.pdf has no text layer: its pages are pictures, and it needs OCR to be read\.$",
        ),
        ("locked.pdf", r"locked\.pdf is protected by a password\.$"),
    ],
)
def test_refusal_states_the_reason(name: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message) as caught:
        read(name)

    assert caught.value.kind == "unsupported"


def test_hidden_text_is_counted_by_reason() -> None:
    assert read("hidden.pdf").removed == {
        "invisible text": 3,
        "tiny text": 1,
        "off page": 1,
    }
    assert read("letter.docx").removed == {"deleted text": 1, "hidden text": 1, "unsafe link": 1}
    assert read("deck.pptx").removed == {"off page": 1, "hidden text": 1}


def test_hidden_slides_are_reported() -> None:
    assert read("deck.pptx").notes == ("Hidden slides that were left out: 1.",)


def test_report_of_the_recorded_web_is_read() -> None:
    async def read_it() -> Page:
        async with Toolkit.open(Settings(replay=Path("demo"))) as kit:
            return await kit.reader.read(
                "https://stats.marine-office.example/reports/tidal-storage-outlook.pdf"
            )

    page = asyncio.run(read_it())
    headings = [line for line in page.markdown.split("\n") if line.startswith("#")]

    assert page.title == "Tidal storage outlook 2026: summary"
    assert page.author == "Hanne Lindqvist, Obed Farrow"
    assert page.published == Dated("2026-07-02T09:00:00Z", "pdf:CreationDate")
    assert headings == [
        "# Tidal storage outlook 2026: summary",
        "## What we asked",
        "## What we found",
        "## Recommendations",
        "## How sure are we?",
    ]
    assert "four times a day on this coast. We asked how large a store has to be" in page.markdown
    assert "[page 2]\n\n## Recommendations\n\n1. Limit support to sites where" in page.markdown
