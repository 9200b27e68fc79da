"""Every SQL function there is."""

from __future__ import annotations

from functools import cache

from webquarry.surfaces.sql.functions import asking, setters
from webquarry.surfaces.sql.functions.function import Function
from webquarry.surfaces.sql.functions.tool_functions import tool_functions


@cache
def functions() -> tuple[Function, ...]:
    return (*asking.FUNCTIONS, *setters.FUNCTIONS, *tool_functions())


def macros() -> list[str]:
    """The statements that make our macros on one connection."""
    return [
        *(statement for function in functions() for statement in function.macros()),
        *asking.TABLES,
    ]


def paid_names() -> frozenset[str]:
    """The functions that may cost money, as they stand in a plan or in a text."""
    asked = {function.name for function in asking.FUNCTIONS} | {
        function.inner for function in asking.FUNCTIONS
    }
    return frozenset(asked)
