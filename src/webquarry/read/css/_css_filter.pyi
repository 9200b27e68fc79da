from collections.abc import Set

def fits_of(
    parts: list[bytes], names: Set[bytes] | None
) -> list[tuple[int, int, bytes | None, bytes | None]]:
    """The parts that may be about some names, each as its number, how it fits if it is a plain
    rule, or -1, and what stands before and behind its brace if it holds nothing but a rule.
    """

def parts_of(css: bytes) -> list[bytes]:
    """What stands before each closing brace of a sheet, without comments."""
