"""Work grows with the page and the quotes, and no faster: counted in steps of Python, not in
seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.verify.quotes.reading import page, text
from webquarry.verify.drafts import find_claims
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.numbers import list_numbers

_SMALL, _LARGE = 200, 800


def count_steps(work: Callable[[], Any]) -> int:
    """How many functions are called and lines run."""
    steps = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += 1
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return steps


def check(words: str, quote: str) -> Callable[[], Any]:
    return lambda: QuoteChecker([text(words)]).check(quote)


@pytest.mark.parametrize(
    "build",
    [
        lambda size: check("the port " * size, "the port " * 20 + "was built"),
        lambda size: check("[1] " * size, "nobody wrote these words at all"),
        lambda size: check("a … b " * size, "the port was … built in … a winter … by few"),
        lambda size: check("12\n\nPort\n\n" * size, "the port was built in a winter by few"),
        lambda size: check("x²¹ " * size, "the port was built in a winter by few"),
        lambda size: lambda: page("<sup>" * size + "1" + "</sup>" * size),
        lambda size: lambda: page("<h1>" * size + "a"),
        lambda size: lambda: list_numbers("1,2,3.4 " * size),
        lambda size: lambda: find_claims("“a” 5% (https://a.example/) " * size),
    ],
)
def test_steps_grow_with_the_size(build: Callable[[int], Callable[[], Any]]) -> None:
    small = count_steps(build(_SMALL))
    large = count_steps(build(_LARGE))

    assert large < 6 * small + 2_000
