def decode_plain(body: bytes) -> str | None:
    """A body in lower case, without needless blanks; None where a closer look is needed."""
