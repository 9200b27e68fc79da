"""Every SQL function there is."""

from __future__ import annotations

from functools import cache

from webquarry.sql.functions import asking, setters
from webquarry.sql.functions.function import Function
from webquarry.sql.functions.tool_functions import build_tool_functions


@cache
def all_functions() -> tuple[Function, ...]:
    """The functions that ask, those that set, and those of the tools."""
    return (*asking.FUNCTIONS, *setters.FUNCTIONS, *build_tool_functions())


def all_macros() -> list[str]:
    """The statements that make our macros on one connection."""
    statements: list[str] = []
    for function in all_functions():
        statements += function.macros()
    return statements + asking.TABLE_MACROS


def paid_names() -> frozenset[str]:
    """The functions that may cost money, as they stand in a plan or in a text."""
    names: set[str] = set()
    for function in asking.FUNCTIONS:
        names.add(function.name)
        names.add(function.inner)
    return frozenset(names)
