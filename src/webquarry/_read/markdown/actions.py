"""What an action on an element is: called when the walk comes to it, it says what to do when the
walk leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

Element = etree._Element
Leave = Callable[["Walker", Element], None] | None  # None where there is nothing to do
Action = Callable[["Walker", Element], Leave]


def SKIP(walker: Walker, element: Element) -> None:  # a mark, compared and never called
    """An action that returns this lets the walk go past everything in the element."""


def skip(walker: Walker, element: Element) -> Leave:
    """What is never shown, and not missed either."""
    return SKIP


@dataclass(frozen=True)
class Vocabulary:
    """What each tag means, and what a heading does that is one by its role only."""

    actions: dict[object, Action]
    actions_in_code: dict[object, Action]
    start_role_heading: Action
