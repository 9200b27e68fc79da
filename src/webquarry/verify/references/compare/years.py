"""The year of a reference and the years of records -> whether it can be right.

A work is posted, appears online and then in print: any year between the first and the last of these
is right, and one more on either side.
"""

from __future__ import annotations

from collections.abc import Iterable

from webquarry.verify.references.models import Agreement

_SLACK = 1  # years


def compare_years(given: int | None, years: Iterable[int], this_year: int) -> Agreement:
    """Whether the year lies within what the records state; a year to come never does."""
    if given is None:
        return "not_checked"
    stated = [year for year in years if 1000 <= year <= this_year + _SLACK]
    if not stated:
        return "not_checked"
    if given > this_year + _SLACK:
        return "no"
    is_within = min(stated) - _SLACK <= given <= max(stated) + _SLACK
    return "yes" if is_within else "no"
