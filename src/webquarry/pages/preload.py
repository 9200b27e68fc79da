"""Warm-up of worker processes: load formats, model weights, tables and stemmers.

They are loaded on first use anyway; the warm-up saves a third of a second of the first read.
"""

from __future__ import annotations

from datetime import UTC, datetime

from webquarry._read.workers.job import Job, job, run_job

_URL = "https://page.example/2000/01/a-page"
_PAGE = b"""<!doctype html><html lang="en"><head><title>A page | A site</title>
<link rel="canonical" href="/2000/01/a-page"><meta property="og:type" content="article">
<script type="application/ld+json">{"@type":"Article","headline":"A page",
"datePublished":"2000-01-01","author":{"@type":"Person","name":"A Writer"}}</script>
<style>.menu{margin:0}.note{display:none}@media print{.menu{display:none}}</style></head>
<body><nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/a">News</a></li></ul></nav>
<main><article><h1>A page</h1><p class="byline">By <a rel="author" href="/writer">A Writer</a></p>
<p>The first paragraph says what the page is about, with an <em>emphasis</em> and a <a
href="https://other.example/page">link</a>. It goes on for some sentences, as paragraphs do. A third
one asks: what is a page? Numbers such as 1,234.5 and dates such as 12 May 1999 are in it.</p>
<h2>What comes then</h2><ol><li>The first thing of a list, in a few words.</li></ol>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>One</td><td>1</td></tr></table>
<blockquote><p>A quotation.</p></blockquote><pre><code>read(page)</code></pre>
<figure><img src="/picture.png" alt="A picture"><figcaption>A caption.</figcaption></figure>
</article></main><footer><p>Copyright 2000 A Site.</p></footer></body></html>"""
_FETCHED = datetime(2000, 1, 1, tzinfo=UTC)


@job("read sample page")
def read_sample_page(job: Job) -> bytes:
    """Read and score a built-in page."""
    import httpx2

    from webquarry._read.reader import FetchedPage
    from webquarry.evidence.language.terms import Terms
    from webquarry.net.models import Reply
    from webquarry.pages.jobs import take_snapshot

    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    reply = Reply(_URL, 200, headers, _PAGE, _FETCHED)
    run_job(FetchedPage(_URL, reply).to_job(take_snapshot, selection="main"))
    Terms("page")
    return b""
