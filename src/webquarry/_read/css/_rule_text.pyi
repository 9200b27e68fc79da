from collections.abc import Collection

class DeclarationSplitter:
    """Splits bodies of rules into their declarations; those of properties that are not among some
    names are left out.
    """

    def __init__(self, names: Collection[str]) -> None: ...
    def split(self, body: str) -> list[str] | None:
        """The declarations that may be about one of the names; None where a closer look is
        needed.
        """

def decode_plain(body: bytes) -> str | None:
    """A body in lower case, without needless blanks; None where a closer look is needed."""

def find_plain_definitions(body: str) -> tuple[dict[str, str], dict[str, str]] | None:
    """The variables that declarations set, the ordinary and the important ones; None where a closer
    look is needed.
    """

def may_show(body: bytes) -> bool:
    """Whether a body may speak of what shows or hides an element."""
