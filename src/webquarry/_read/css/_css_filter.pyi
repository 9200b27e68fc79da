from collections.abc import Iterator, Set

class KnownNames:
    """Names of elements, in lower case, and how rules fit to them."""

    def __init__(self, names: Set[bytes] | None) -> None: ...
    def judge(self, selectors: bytes) -> int:
        """How selectors fit to the names, or -1 where a closer look is needed."""

    def list_fits(self, parts: list[bytes]) -> list[tuple[int, int, bytes | None, bytes | None]]:
        """The parts that may be about the names, each as its number, how it fits if it is a plain
        rule, or -1, and what stands before and behind its brace if it holds nothing but a rule.
        """

def find_state_backgrounds(parts: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Selectors and body of the plain rules that stand in no other one, have a colon in their
    selectors and set a background.
    """

def parts_of(css: bytes) -> list[bytes]:
    """What stands before each closing brace of a sheet, without comments."""
