"""A small web on loopback, in a process of its own: a SearXNG, and articles of any size.

    python web.py          # prints its port; `/set?seconds=.1` makes it answer that late

A search has ten results on pages of 50 KB, or of the size that the query names (`kb5`).
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from urllib.parse import parse_qs, urlsplit

WORDS = [
    "tide",
    "energy",
    "store",
    "turbine",
    "river",
    "coast",
    "measure",
    "report",
    "basin",
    "storage",
    "power",
    "grid",
    "winter",
    "summer",
    "cost",
    "plan",
    "pump",
    "station",
    "water",
    "level",
    "rise",
    "region",
    "study",
    "year",
    "month",
    "model",
    "value",
]
RESULTS = 10


class Web:
    """Answers requests, all of them as late as was asked for."""

    def __init__(self) -> None:
        self.port = 0
        self._seconds = 0.0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, which stays open."""
        try:
            while line := await reader.readline():
                while await reader.readline() not in (b"\r\n", b"\n", b""):
                    pass
                path = line.split()[1].decode("latin-1")
                status, kind, body = await self._answer(path)
                head = (
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                )
                writer.write(head.encode() + b"\r\n" + body)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _answer(self, target: str) -> tuple[str, str, bytes]:
        parts = urlsplit(target)
        fields = parse_qs(parts.query)
        if parts.path == "/set":
            self._seconds = float(fields["seconds"][0])
            return "200 OK", "text/plain", b""
        page = re.fullmatch(r"/page/(\d+)/(\w+)", parts.path)
        if page is None and parts.path != "/search":
            return "404 Not Found", "text/plain", b"nothing here"
        await asyncio.sleep(self._seconds)
        if page is not None:
            return "200 OK", "text/html; charset=utf-8", write_page(int(page[1]), page[2])
        found = json.dumps(self._search(fields["q"][0])).encode()
        return "200 OK", "application/json", found

    def _search(self, query: str) -> dict[str, object]:
        size = re.search(r"kb(\d+)", query)
        kilobytes = size[1] if size else "50"
        chance = random.Random(query)
        results = []
        for number in range(RESULTS):
            seed = f"{chance.randrange(16**8):08x}n{number}"
            results.append(
                {
                    "title": f"{write_words(chance, 6)} {number}",
                    "url": f"http://127.0.0.1:{self.port}/page/{kilobytes}/{seed}",
                    "content": write_words(chance, 30),
                    "engine": "bench",
                    "engines": ["bench"],
                    "score": 1.0,
                    "category": "general",
                }
            )
        return {"query": query, "number_of_results": RESULTS, "results": results}


def write_words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def write_page(kilobytes: int, seed: str) -> bytes:
    """An article of so many kilobytes, with a menu and a footer around it."""
    chance = random.Random(seed)
    title = write_words(chance, 6)
    menu = "".join(f'<li><a href="/s/{word}">{word}</a></li>' for word in WORDS[:8])
    parts = [f"<p>It begins with {seed}begin. {write_words(chance, 40)}.</p>"]
    size = 0
    while size < kilobytes * 1000 - 1500:
        heading = f"<h2>{write_words(chance, 4)}</h2>" if chance.random() < 0.15 else ""
        link = f'<a href="/page/5/{chance.randrange(10**6)}">{write_words(chance, 3)}</a>'
        part = f"{heading}<p>{write_words(chance, 50)} {link} {write_words(chance, 30)}.</p>\n"
        parts.append(part)
        size += len(part)
    parts.append(f"<p>{write_words(chance, 20)}. It ends with {seed}end.</p>")
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="author" content="Ann Author"></head><body><nav><ul>{menu}</ul></nav>'
        f"<main><article><h1>{title}</h1>{''.join(parts)}</article></main>"
        "<footer><p>All rights reserved. About us. Contact.</p></footer></body></html>"
    ).encode()


async def main() -> None:
    web = Web()
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    print(web.port, flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
