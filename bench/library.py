"""The library with many pages: what a page costs to add, how long a question takes, how large the
file is.

    python bench/library.py                  10,000 pages of invented prose
    python bench/library.py --pages 2000

Pages are made of words that follow Zipf's law, as those of a language do, in sections with headings.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from webquarry.library.models import KeptPage
from webquarry.library.shelf import Shelf, prepare_shelf
from webquarry.store.database_file import DatabaseFile
from webquarry.store.encryption import Cipher

WORDS = 60_000
SYLLABLES = ("ta", "ri", "mo", "ven", "sal", "ke", "lu", "dor", "pin", "sha", "gre", "no", "bit")
GROUP = 20
QUESTIONS = 300
ROOM = 10_000_000_000


class Prose:
    """Invented prose, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        words: dict[str, None] = {}
        while len(words) < WORDS:
            count = self._random.randint(2, 5)
            words["".join(self._random.choices(SYLLABLES, k=count))] = None
        self._words = list(words)
        self._weights = [1 / (rank + 10) for rank in range(WORDS)]

    def write(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, self._weights, k=words))

    def write_page(self, number: int) -> KeptPage:
        parts = []
        for _ in range(self._random.randint(1, 6)):
            parts.append(f"## {self.write(4)}\n\n{self.write(150)}.\n\n{self.write(100)}.")
        title = self.write(6)
        text = f"# {title}\n\n" + "\n\n".join(parts)
        return KeptPage(f"https://pages.example/{number}", title, text.encode(), 1.8e9 + number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    prose = Prose(7)
    pages = [prose.write_page(number) for number in range(count)]
    text_bytes = sum(len(page.text) for page in pages)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.sqlite3"
        file = DatabaseFile(path, prepare_shelf)
        shelf = Shelf(file.open(), Cipher.open(Path(folder) / "library.key"), ROOM)
        began = time.process_time()
        for start in range(0, count, GROUP):
            shelf.add("", pages[start : start + GROUP])
        seconds = time.process_time() - began
        times = []
        hits = 0
        chosen = random.Random(3)
        for page in chosen.sample(pages, min(QUESTIONS, count)):
            words = page.text.decode().split()
            place = chosen.randrange(max(1, len(words) - 12))
            question = " ".join(words[place : place + 10])
            start_time = time.perf_counter()
            found = shelf.find("", question, 10, lambda _: True, 1.9e9)
            times.append(time.perf_counter() - start_time)
            hits += bool(found) and found[0].url == page.url
        shelf.tidy()
        file.close()
        size = path.stat().st_size
    times.sort()
    print(f"{count} pages, {text_bytes / 1e6:.1f} MB of text")
    print(f"adding: {1000 * seconds / count:.2f} ms of CPU a page")
    print(f"query: p50 {1000 * statistics.median(times):.1f} ms, "
          f"p95 {1000 * times[int(0.95 * len(times))]:.1f} ms; hit@1 {hits / len(times):.3f}")  # fmt: skip
    print(f"file: {size / text_bytes:.2f} x the text")


if __name__ == "__main__":
    main()
