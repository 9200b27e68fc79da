from collections.abc import Set

def fits_of(parts: list[bytes], names: Set[bytes]) -> list[tuple[int, int]]:
    """The numbers of the parts that may be about some names, each with how it fits if it is a plain
    rule, or -1.
    """

def parts_of(css: bytes) -> list[bytes]:
    """What stands before each closing brace of a sheet, without comments."""

def last_keys_of(selectors: bytes) -> list[str] | None: ...
