from collections.abc import Iterable

class WordGroups:
    """Groups of words in ASCII, each of two characters or more, all looked for in one go."""

    groups: tuple[tuple[str, ...], ...]

    def __init__(self, groups: Iterable[Iterable[str]]) -> None: ...
    def find_in(self, text: str) -> int: ...
