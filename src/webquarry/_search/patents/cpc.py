"""A symbol of the Cooperative Patent Classification as people write it -> as registers do; and does
a patent bear it?

`H04` is a class, `H04W` a subclass, `H04W4/00` a group with all below it, `H04W4/02` a subgroup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webquarry.errors import BadInput

_SYMBOL = re.compile(r"([A-HY][0-9]{2})(?:([A-Z])(?:([0-9]{1,4})(?:/([0-9]{2,6}))?)?)?")


def cpc_symbol(value: str) -> str:
    """The symbol without blanks, in upper case; what cannot be one is BadInput."""
    symbol = re.sub(r"\s+", "", value).upper()
    if not _SYMBOL.fullmatch(symbol):
        raise BadInput(
            f"The cpc_code {value[:30]!r} is no symbol of the CPC.",
            suggested_action="Give a class, subclass or group, such as H04, H04W or H04W4/02.",
        )
    return symbol


def bears(symbols: Iterable[str], wanted: str) -> bool:
    """Whether one of the symbols lies within the wanted one, or in the same main group.

    Which subgroups lie below another cannot be told from their numbers, so within a main group the
    provider decides.
    """
    start = wanted.partition("/")[0]
    is_group = bool(re.search(r"[A-Z][0-9]+$", start)) and len(start) > 3
    starts = [symbol.partition("/")[0] for symbol in symbols]
    if is_group:
        return start in starts
    return any(other.startswith(start) for other in starts)
