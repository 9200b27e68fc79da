"""Actions on elements: called at the start of an element, they return a function for its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

Element = etree._Element
Leave = Callable[["Walker", Element], None] | None
Action = Callable[["Walker", Element], Leave]

# Tags that mean nothing but a box; `role` may make a heading of it.
BOX_TAGS = frozenset(
    """
    address article aside body caption center details dialog div fieldset figcaption figure footer
    form head header hgroup html legend main marquee optgroup p search section
    """.split()  # noqa: SIM905
)
ROLE_HEADING = "role=heading"  # key of the action of elements with this role


def SKIP(walker: Walker, element: Element) -> None:
    """Returned by an action if the content of the element is not read; never called."""


def skip(walker: Walker, element: Element) -> Leave:
    """Skip an element that is never visible."""
    return SKIP
