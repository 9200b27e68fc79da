from collections.abc import Iterable

class WordSearch:
    """The words, each of two characters or more."""

    words: tuple[str, ...]

    def __init__(self, words: Iterable[str]) -> None: ...
    def is_any_in(self, text: str) -> bool: ...
    def count_in_lower(self, text: str, most: int) -> int: ...
