"""Pages for the tests: recorded ones by name, small ones from their head."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from webquarry._read.html.parse import Document, parse_html
from webquarry._read.models import Dated, Page
from webquarry._read.slices.text import WrittenText
from webquarry.evidence.evidence import Evidence, evidence_of

FOLDER = Path(__file__).parent / "pages"
ACCESSED = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
URL = "https://harbor.example/tide"


def recorded(name: str) -> Document:
    """A recorded page, parsed."""
    return parse_html((FOLDER / name).read_text("utf-8"))


def page_at(
    url: str = URL,
    *,
    title: str = "",
    markdown: str = "Ships returned.",
    content_type: str = "html",
    author: str = "",
    published: Dated | None = None,
    modified: Dated | None = None,
) -> Page:
    """A page as the reader gives it."""
    return Page(
        url=url,
        requested_url=url,
        title=title,
        text=WrittenText(markdown.encode()),
        content_type=content_type,
        encoding="utf-8",
        outcome="ok",
        notes=(),
        fetched_at=ACCESSED,
        author=author,
        published=published,
        modified=modified,
    )


def evidence(html: str | Document | None, url: str = URL, page: Page | None = None) -> Evidence:
    """The evidence for a page of that markup."""
    document = parse_html(html) if isinstance(html, str) else html
    return evidence_of(url, document, page or page_at(url), ACCESSED)


def with_head(*tags: str) -> str:
    """A page with these tags in its head."""
    return f"<html><head>{''.join(tags)}</head><body><p>Ships returned.</p></body></html>"


def meta(name: str, content: str) -> str:
    """One meta tag, as OpenGraph writes it."""
    return f'<meta property="{name}" content="{content}">'


def linked(json: str) -> str:
    """One block of JSON-LD."""
    return f'<script type="application/ld+json">{json}</script>'
