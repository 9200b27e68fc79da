"""Warm-up of worker processes: load formats, model weights, tables and stemmers.

They are loaded on first use anyway; the warm-up saves a third of a second of the first read.
"""

from __future__ import annotations

from datetime import UTC, datetime

from webquarry._read.workers.job import Job, job, run_job

_URL = "https://page.example/2000/01/a-page"
_PAGE = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page that is read | A site</title>
<meta name="viewport" content="width=device-width"><meta name="author" content="A Writer">
<meta name="description" content="A page of the usual kind.">
<link rel="canonical" href="/2000/01/a-page">
<meta property="og:title" content="A page that is read">
<meta property="og:type" content="article">
<meta property="article:published_time" content="2000-01-01T09:30:00Z">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article",
"headline":"A page that is read","datePublished":"2000-01-01",
"author":{"@type":"Person","name":"A Writer"}}</script>
<style>.menu{margin:0;color:#000}.note{display:none}@media print{.menu{display:none}}</style>
<script>window.q=window.q||[];</script></head>
<body class="post"><div id="cookies" class="banner"><p>We use cookies. <button>Accept</button></p>
</div><header><nav class="menu" aria-label="Menu"><ul><li><a href="/">Home</a></li>
<li><a href="/news">News</a></li><li><a href="/about">About us</a></li></ul></nav></header>
<main id="content"><article><header><h1>A page that is read</h1>
<p class="byline">By <a rel="author" href="/writer">A Writer</a>
<time datetime="2000-01-01">1 January 2000</time></p></header>
<p>The first paragraph says what the page is about, with an <em>emphasis</em> and a
<strong>strong</strong> word, and with <a href="https://other.example/page">a link to another
page</a>. It goes on for some sentences, as paragraphs do. A second sentence follows; a third one
asks: what is a page? Numbers such as 1,234.5 and dates such as 12 May 1999 are in it.</p>
<p>The second paragraph is as long as the first, so that there is enough to be read, and it holds
<code>code_1</code>. It teaches nothing, but it is a paragraph with a sentence and many words of the
usual kind.</p>
<h2>What comes then</h2>
<ol><li>The first thing of a list, in a few words.</li>
<li>The second thing, which has <em>an emphasis</em>.</li><li>The third thing of it.</li></ol>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>One</td><td>1</td></tr>
<tr><td>Two</td><td>2</td></tr></table>
<blockquote><p>A quotation.</p></blockquote><pre><code>read(page)</code></pre>
<figure><img src="/picture.png" alt="A picture"><figcaption>What it shows.</figcaption></figure>
<p>The last paragraph ends the page, after which there are only links to others.</p>
</article></main>
<aside class="sidebar"><h3>Related</h3><ul><li><a href="/1">Another page that may be read</a></li>
<li><a href="/2">One more page</a></li></ul></aside>
<footer><p>Copyright 2000 A Site. All rights reserved.</p>
<ul><li><a href="/privacy">Privacy</a></li></ul></footer></body></html>"""
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
