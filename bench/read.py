"""CPU time of `scrape_page` for article pages of 5, 50 and 500 KB, from the bytes of the reply to
the finished answer.

    python bench/read.py

Beside it: a bare lxml parse of the same bytes, and trafilatura if it can be imported. No network,
no cache, one process; the least of several runs, in milliseconds of processor time.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx2
from lxml import html as lxml_html

from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

SIZES = (5_000, 50_000, 500_000)
URL = "https://bench.example/article"
SOURCE = Path(__file__).resolve().parent.parent / "scripts" / "recorded_web" / "tidelines.example"
WORDS = [
    word for word in (SOURCE / "storing-the-tide.html").read_text("utf-8").split() if word.isalpha()
]


def article(size: int) -> bytes:
    """A page of about this size: the frame of a magazine, and as many paragraphs, lists and tables
    as fit.
    """
    menu = "".join(f'<li><a href="/topic/{number}">Topic {number}</a></li>' for number in range(12))
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Storing the tide | '
        "Tidelines</title>"
        '<meta property="og:type" content="article"><meta name="author" content="Ines Calloway">'
        f'</head><body><nav class="menu"><ul>{menu}</ul></nav><main><article><h1>Storing the '
        "tide</h1>"
    )
    foot = '</article></main><footer class="site-footer"><p>Tidelines, all rights reserved</p></footer></body></html>'
    parts: list[str] = []
    length, dice = len(head) + len(foot), random.Random(7)
    while length < size:
        at = len(parts)
        part = f'<p class="body">{prose(dice, 3)} <a href="/{at}">{prose(dice, 1)}</a> <em>And so on.</em> {prose(dice, 3)}</p>\n'
        if at % 6 == 5:
            part += f"<h2>{prose(dice, 1)[:40]}</h2><ul><li>{prose(dice, 1)}</li><li>{prose(dice, 1)}</li></ul>\n"
        if at % 20 == 19:
            part += f"<table><tr><th>Year</th><th>MWh</th></tr><tr><td>{at}</td><td>{at * 7}</td></tr></table>\n"
        parts.append(part)
        length += len(part)
    return (head + "".join(parts) + foot).encode()


def prose(dice: random.Random, sentences: int) -> str:
    """Sentences that do not repeat, as those of an article do not."""
    made = [
        " ".join(dice.choices(WORDS, k=dice.randint(8, 24))).capitalize() + "."
        for _ in range(sentences)
    ]
    return " ".join(made)


def least(work: Callable[[], object], rounds: int) -> float:
    """The least processor time of some rounds, in milliseconds."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) * 1000


class _Still(httpx2.AsyncBaseTransport):
    """Answers every request with the same page."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {"Content-Type": "text/html; charset=utf-8"}
        return httpx2.Response(200, headers=headers, stream=httpx2.ByteStream(self._body))


def answering(body: bytes, loop: asyncio.AbstractEventLoop) -> Callable[[], object]:
    """The whole tool, the client included; only the socket is missing."""
    environ = {"WEBQUARRY_CACHE": "0", "WEBQUARRY_ROBOTS": "0", "HOME": "/nonexistent"}
    kit = Toolkit(Settings.from_environment(environ), environ)
    kit.client = Client(
        kit.settings.replace(host_requests_per_second=1e9),
        Clock(),
        pages=_Still(body),
        providers=_Still(b""),
    )
    tool = load("research", "scrape_page")

    def work() -> object:
        answer = loop.run_until_complete(tool.call(kit, {"url": URL, "max_length": 5_000_000}))
        return json.dumps(answer.as_dict(), ensure_ascii=False)

    return work


def main() -> None:
    extract = None
    if importlib.util.find_spec("trafilatura"):
        from trafilatura import extract  # type: ignore[import-not-found,no-redef]
    else:
        print(
            "trafilatura is not installed (pip install -e '.[bench]'), so lxml's bare parse is "
            "the only yardstick."
        )
    print(
        f"{'page':>10} {'scrape_page':>14} {'bare lxml':>12} {'times lxml':>11}"
        + (f" {'trafilatura':>12}" if extract else "")
    )
    loop = asyncio.new_event_loop()
    for size in SIZES:
        body = article(size)
        rounds = max(5, min(40, 4_000_000 // size))
        ours = least(answering(body, loop), rounds)
        bare = least(partial(lxml_html.document_fromstring, body), rounds)
        row = f"{len(body) / 1000:>7.0f} kB {ours:>11.1f} ms {bare:>9.2f} ms {ours / bare:>10.1f}x"
        if extract:
            theirs = least(partial(extract, body, output_format="markdown"), rounds)
            row += f" {theirs:>9.1f} ms"
        print(row)
    loop.close()


if __name__ == "__main__":
    main()
