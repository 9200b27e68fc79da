"""An index of the library behind lines of JSON, for a bench that adds pages and asks for them.

LIBRARY_DIR=/tmp/empty python bench/library_worker.py

{"op": "add", "id": ..., "url": ..., "title": ..., "text": ..., "lang": ...}     no answer
{"op": "commit"}                                                   {"ok": true}, safe on disk
{"op": "query", "q": ..., "k": 10}                                 {"ids": [...]}, best first
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from webquarry.library import KeptPage
from webquarry.library.shelf import Shelf, open_shelf_database

OWNER = ""
ROOM = 10_000_000_000
GROUP = 50  # pages that are added in one transaction


def build_address(identifier: str) -> str:
    """The address of a page: several in the data have the same one, and are no versions of one."""
    return f"https://library.example/{identifier}"


def main() -> None:
    """Serve the lines of the standard input."""
    folder = Path(os.environ["LIBRARY_DIR"])
    file = open_shelf_database(folder / "library.sqlite3")
    shelf = Shelf(*file.open(), ROOM)
    waiting: list[KeptPage] = []
    for line in sys.stdin:
        message = json.loads(line)
        if message["op"] == "add":
            text = message["text"].encode()
            address = build_address(message["id"])
            waiting.append(KeptPage(address, message["title"], text, time.time()))
            if len(waiting) >= GROUP:
                shelf.add(OWNER, waiting)
                waiting.clear()
        elif message["op"] == "commit":
            shelf.add(OWNER, waiting)
            waiting.clear()
            print(json.dumps({"ok": True}), flush=True)
        elif message["op"] == "query":
            found = shelf.find(OWNER, message["q"], message["k"], lambda _: True, time.time())
            ids = [one.url.rpartition("/")[2] for one in found]
            print(json.dumps({"ids": ids}), flush=True)
    shelf.tidy()
    file.close()


if __name__ == "__main__":
    main()
