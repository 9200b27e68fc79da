from collections.abc import Mapping

from webquarry._read.main_content.buffers import Rows
from webquarry._read.main_content.texts import Limits
from webquarry._read.text._search import WordSearch

class WordTable:
    """Words and their numbers. What it gives are the bytes of arrays of 64-bit integers."""

    def __init__(self, numbers: Mapping[str, int], unknown: int) -> None: ...
    def words(self, text: str) -> bytes: ...
    def tokens(self, text: str) -> tuple[bytes, str]: ...

def read_names(
    tags: list[str],
    names: list[str],
    ids: list[str],
    table: WordTable,
    values: Rows,
    tag_numbers: dict[str, int],
    longest: int,
    tags_of: Rows,
    kinds: Rows,
    said: Rows,
) -> None: ...
def fill_counts(
    counts: Rows,
    texts: list[str],
    table: WordTable,
    said: Rows,
    title: WordTable | None,
    topic: WordSearch,
    limits: Limits,
) -> None: ...
