"""The library with many pages: what a page costs to add, how long a question takes, how large the
file is.

    python bench/library.py                  10,000 pages of invented prose
    python bench/library.py --pages 30000    at least 0.90 hit@1, 0.99 hit@10, half the CPU of FTS5

Beside each figure stands its ratio to SQLite's FTS5 with its own stemmer (porter), the text in it,
measured on the same pages at the same time: a loaded machine slows both.

Pages are made of words that follow Zipf's law, as those of a language do, in sections with headings.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from webquarry.library import KeptPage
from webquarry.library.shelf import Shelf, open_shelf_database

T = TypeVar("T")

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
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(WORDS)))

    def write(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))

    def write_page(self, number: int) -> KeptPage:
        parts = []
        for _ in range(self._random.randint(1, 6)):
            parts.append(f"## {self.write(4)}\n\n{self.write(150)}.\n\n{self.write(100)}.")
        title = self.write(6)
        text = f"# {title}\n\n" + "\n\n".join(parts)
        return KeptPage(f"https://pages.example/{number}", title, text.encode(), 1.8e9 + number)


class Reference:
    """FTS5 as it comes, with porter and the text in it: what our figures are compared with."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("CREATE VIRTUAL TABLE pages USING fts5(text, tokenize=porter)")

    def add(self, pages: list[KeptPage]) -> None:
        rows = [(page.text.decode(),) for page in pages]
        with self._database:
            self._database.executemany("INSERT INTO pages VALUES (?)", rows)

    def find(self, question: str) -> list[int]:
        """Return the numbers of the best pages."""
        words = re.findall(r"\w+", question)
        match = " OR ".join(f'"{word}"' for word in words)
        query = "SELECT rowid, text FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 10"
        return [row - 1 for row, _ in self._database.execute(query, (match,))]

    def close(self) -> None:
        self._database.close()


def measure_adding(add: Callable[[list[KeptPage]], None], pages: list[KeptPage]) -> float:
    """Milliseconds of CPU for a page."""
    began = time.process_time()
    for start in range(0, len(pages), GROUP):
        add(pages[start : start + GROUP])
    return 1_000 * (time.process_time() - began) / len(pages)


def measure_call(work: Callable[[], T]) -> tuple[T, float, float]:
    """What it gives, its milliseconds by the clock, and those of CPU."""
    began, began_cpu = time.perf_counter(), time.process_time()
    given = work()
    seconds = time.perf_counter() - began
    return given, 1_000 * seconds, 1_000 * (time.process_time() - began_cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    prose = Prose(7)
    pages = [prose.write_page(number) for number in range(count)]
    text_bytes = sum(len(page.text) for page in pages)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.sqlite3"
        other_path = Path(folder) / "porter.sqlite3"
        file = open_shelf_database(path)
        shelf = Shelf(*file.open(), ROOM)
        reference = Reference(other_path)
        adding = measure_adding(lambda group: shelf.add("", group), pages)
        other_adding = measure_adding(reference.add, pages)
        times: list[tuple[float, float]] = []
        other_times: list[tuple[float, float]] = []
        hits = tens = other_hits = 0
        chosen = random.Random(3)
        for page in chosen.sample(pages, min(QUESTIONS, count)):
            words = page.text.decode().split()
            place = chosen.randrange(max(1, len(words) - 12))
            question = " ".join(words[place : place + 10])
            ask = partial(shelf.find, "", question, 10, lambda _: True, 1.9e9)
            found, *spent = measure_call(ask)
            times.append((spent[0], spent[1]))
            urls = [one.url for one in found]
            hits += urls[:1] == [page.url]
            tens += page.url in urls
            numbers, *spent = measure_call(partial(reference.find, question))
            other_hits += numbers[:1] == [int(page.url.rpartition("/")[2])]
            other_times.append((spent[0], spent[1]))
        shelf.tidy()
        file.close()
        reference.close()
        size, other_size = path.stat().st_size, other_path.stat().st_size
    clock, cpu = (sorted(column) for column in zip(*times, strict=True))
    other_clock, other_cpu = (sorted(column) for column in zip(*other_times, strict=True))
    median, other_median = statistics.median(clock), statistics.median(other_clock)
    print(f"{count} pages, {text_bytes / 1e6:.1f} MB of text; porter = FTS5 with its own stemmer")
    print(f"adding: {adding:.2f} ms of CPU a page, {adding / other_adding:.2f} x porter")
    print(f"query: p50 {median:.1f} ms ({statistics.median(cpu):.1f} of CPU), "
          f"p95 {clock[int(0.95 * len(clock))]:.1f} ms, p50 {median / other_median:.2f} x porter")  # fmt: skip
    print(f"query: {sum(cpu) / sum(other_cpu):.2f} x the CPU of porter")
    print(f"hit@1 {hits / len(times):.3f}, hit@10 {tens / len(times):.3f}, "
          f"porter hit@1 {other_hits / len(times):.3f}")  # fmt: skip
    print(f"file: {size / text_bytes:.2f} x the text, {size / other_size:.2f} x porter")


if __name__ == "__main__":
    main()
