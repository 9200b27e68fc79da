"""Tokens of an answer for each page of the recorded web: `scrape_page` as JSON and as Markdown,
beside mcp-server-fetch and trafilatura.

    python bench/tokens.py [--install]

A token is four bytes of UTF-8, of the text that a model is handed. The others are asked of the
interpreter in WEBQUARRY_BENCH_PYTHON, or of this one; --install puts them into a virtual
environment that goes when the bench is done. All get the same HTML and may give 50,000 bytes or
characters. Pages of other kinds are shown, but only HTML counts in the totals. What each of them
keeps of a page is not measured here; `bench/answer_worker.py` is for that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webquarry.errors import WebquarryError
from webquarry.mcp.protocol import as_json
from webquarry.toolkit import Toolkit
from webquarry.tools import load

WEB = Path(__file__).resolve().parent.parent / "scripts" / "recorded_web" / "web.toml"
PACKAGES = ("mcp-server-fetch", "trafilatura")
INSTALLED = (*PACKAGES, "lxml_html_clean")  # which trafilatura wants and does not always name
LONGEST = 50_000
# Reads {"url", "html"} line by line and prints the length of each text in bytes by its name.
PEERS = """
import json, os, sys
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries may print, and what they start may, too
try:
    from mcp_server_fetch.server import extract_content_from_html
except ImportError:
    extract_content_from_html = None
try:
    import trafilatura
except ImportError:
    trafilatura = None
for line in sys.stdin:
    page = json.loads(line)
    texts = {}
    if extract_content_from_html:
        content = extract_content_from_html(page["html"])[:50_000]
        texts["fetch"] = f"Contents of {page['url']}:\\n{content}"
    if trafilatura:
        texts["trafilatura"] = trafilatura.extract(
            page["html"], url=page["url"], output_format="markdown", include_tables=True
        ) or ""
    sizes = {name: len(text.encode()) for name, text in texts.items()}
    print(json.dumps(sizes), file=out, flush=True)
"""


@dataclass
class MeasuredPage:
    """One page and the bytes of each text of it, by the name of who made it."""

    url: str
    content_type: str
    html: str = ""
    sizes: dict[str, int] = field(default_factory=dict)


async def measure_ours() -> list[MeasuredPage]:
    """Every page that can be read, with the sizes of our texts."""
    answers = tomllib.loads(WEB.read_text("utf-8"))["answer"]
    urls = [answer["url"] for answer in answers if answer.get("bench", True)]
    scrape_page = load("research", "scrape_page")
    pages: list[MeasuredPage] = []
    async with Toolkit.open(environ={"WEBQUARRY_REPLAY": "demo"}) as kit:
        for url in urls:
            if url.endswith("/robots.txt"):
                continue
            try:
                answer: Any = await scrape_page.call(kit, {"url": url})
            except WebquarryError:
                continue
            if any(page.url == answer.url for page in pages):
                continue  # another address of the same page
            page = MeasuredPage(answer.url, answer.content_type)
            texts = {
                "content": answer.content,
                "json": as_json(answer.as_dict()),
                "markdown": answer.as_markdown(),
            }
            page.sizes = {name: len(text.encode()) for name, text in texts.items()}
            if page.content_type == "html":
                arguments = {"url": url, "mode": "raw", "max_length": 5_000_000}
                raw: Any = await scrape_page.call(kit, arguments)
                page.html = raw.content
            pages.append(page)
    return pages


def measure_peers(python: str, pages: list[MeasuredPage]) -> None:
    """Add the sizes of the others' texts, of those that are installed."""
    html_pages = [page for page in pages if page.html]
    lines = [json.dumps({"url": page.url, "html": page.html}) for page in html_pages]
    done = subprocess.run(
        [python, "-c", PEERS], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    for page, line in zip(html_pages, done.stdout.splitlines(), strict=True):
        page.sizes |= json.loads(line)


def print_table(pages: list[MeasuredPage]) -> None:
    """A line for each page, the totals, and how many times each is of the Markdown."""
    names = ["content", "json", "markdown", "fetch", "trafilatura"]
    known = [name for name in names if any(name in page.sizes for page in pages)]
    print("".join(f"{name:>12}" for name in known), " page")
    for page in pages:
        cells = [f"{page.sizes[name] // 4:>12,}" if name in page.sizes else " " * 12
                 for name in known]  # fmt: skip
        print("".join(cells), f" {page.url}")
    html_pages = [page for page in pages if page.html]
    totals = {name: sum(page.sizes[name] for page in html_pages) for name in known}
    print("".join(f"{total // 4:>12,}" for total in totals.values()), f" {len(html_pages)} of HTML")
    ratios = [f"{total / totals['markdown']:>12.2f}" for total in totals.values()]
    print("".join(ratios), " times the Markdown")
    medians = []
    for name in known:
        median = statistics.median(page.sizes[name] / page.sizes["markdown"] for page in html_pages)
        medians.append(f"{median:>12.2f}")
    print("".join(medians), " the same, median of the pages")
    for name, package in zip(("fetch", "trafilatura"), PACKAGES, strict=True):
        if name not in known:
            print(f"{package} is not installed: left out (--install takes it for this run).")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true", help="install the others for this run")
    options = parser.parse_args()
    pages = asyncio.run(measure_ours())
    if options.install:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = str(Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python")
            subprocess.run([python, "-m", "pip", "install", "-q", *INSTALLED], check=True)
            measure_peers(python, pages)
    else:
        measure_peers(os.environ.get("WEBQUARRY_BENCH_PYTHON", sys.executable), pages)
    print_table(pages)


if __name__ == "__main__":
    main()
