"""Invented pages for the tests of what a page shows of itself: a site around some content."""

from __future__ import annotations

SENTENCES = (
    "The harbour board met on Tuesday to hear what the engineers had found under the old quay.",
    "Nobody had looked at the timbers since the winter storm, and the divers came back with photographs.",
    "Most of the piles are sound, but eleven of them have lost more than a third of their width.",
    "A repair would take two summers and would close the western berth to the larger ferries.",
    "The fishing cooperative asked for the work to begin after the herring season has ended.",
    "Its chair said that a year without the berth would cost the boats more than the repair itself.",
    "The board will publish the survey next week and hold a hearing in the hall of the museum.",
    "Until then, vehicles above seven tonnes may not cross the quay, and anglers are asked to stay away.",
)


def paragraphs(count: int, length: int = 3) -> str:
    """So many paragraphs of an article."""
    written = []
    for number in range(count):
        chosen = [SENTENCES[(number + step) % len(SENTENCES)] for step in range(length)]
        written.append(f"<p>{' '.join(chosen)} That was point {number + 1}.</p>")
    return "\n".join(written)


def page(content: str, *, title: str = "The quay and its timbers", head: str = "") -> str:
    """A page of a newspaper with its menu, its newsletter and its footer."""
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title>{head}</head>
<body><header><a href="/">The Harbour Post</a><a href="/login">Log in</a>
<a href="/subscribe">Subscribe</a></header>
<nav><ul><li><a href="/news">News</a></li><li><a href="/boats">Boats</a></li>
<li><a href="/weather">Weather</a></li></ul></nav>
<main>{content}</main>
<aside><h2>Newsletter</h2><p>Subscribe to our newsletter and get one letter a week.</p>
<form action="/newsletter"><input type="email" name="email"><button>Subscribe</button></form></aside>
<footer><p>© 2026 The Harbour Post. <a href="/privacy">Privacy</a> <a href="/cookies">Cookies</a></p>
</footer><script src="/site.js"></script></body></html>"""


def article(
    count: int,
    after: str = "",
    *,
    heading: str = "The quay and its timbers",
    head: str = "",
    before: str = "",
) -> str:
    """An article of so many paragraphs, with something behind it."""
    content = f"<article><h1>{heading}</h1>{before}{paragraphs(count)}{after}</article>"
    return page(content, title=heading, head=head)


def json_ld(text: str) -> str:
    """A script that holds structured data."""
    return f'<script type="application/ld+json">{text}</script>'
