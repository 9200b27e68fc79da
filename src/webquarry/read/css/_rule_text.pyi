def decode_plain(body: bytes) -> str | None:
    """A body in lower case, without needless blanks; None where a closer look is needed."""

def last_keys_of(selectors: bytes) -> list[str] | None:
    """A name of the element that each of some selectors ends in; None where a closer look is
    needed.
    """

def may_show(body: bytes) -> bool:
    """Whether a body may speak of what shows or hides an element."""
