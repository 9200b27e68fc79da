"""When a process that reads pages looks for unused objects that hold each other: between two pages.

A page makes tens of thousands of objects and is done with all of them at once. To look through them
again and again while it is read costs a tenth of the time.
"""

from __future__ import annotations

import gc

_MOST_WITHIN_JOB = 200_000  # new objects, after which unused ones are looked for all the same
_MOST_BETWEEN_JOBS = 25_000


def put_off_collection() -> None:
    """Once, when everything is loaded: what is there now is never looked at again, and what comes
    is looked at when `collect_if_due` is called, or when there is very much of it.
    """
    gc.freeze()
    gc.set_threshold(_MOST_WITHIN_JOB, 10, 10)


def collect_if_due() -> None:
    """After a job: free what holds only itself, if that may be worth it."""
    if gc.get_count()[0] > _MOST_BETWEEN_JOBS:
        gc.collect()
