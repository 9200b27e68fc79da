"""Beginning anew: the folder of the records in, the folder that they were moved to out. Nothing is
deleted, and the key goes along, so that moving everything back undoes it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from webquarry.records.failures import build_failure, explain_error
from webquarry.records.shape import KEY_NAME, NAME
from webquarry.store.sqlite import classify


def set_records_aside(folder: Path) -> Path | None:
    """Move the record file, its log and its key into a folder beside them; None where there are
    none. A server that has them open notices, and begins new ones as well.
    """
    names = [NAME, f"{NAME}-wal", f"{NAME}-shm", f"{NAME}-log", KEY_NAME]
    there = [name for name in names if os.path.lexists(folder / name)]
    if not there:
        return None
    target = folder / time.strftime("set-aside-%Y%m%d-%H%M%S", time.gmtime())
    try:
        target = _make_folder(target)
        for name in there:
            (folder / name).replace(target / name)
    except OSError as error:
        raise build_failure(classify(error), explain_error(error), folder / NAME) from error
    return target


def _make_folder(path: Path) -> Path:
    """A folder that was not there before."""
    number = 1
    candidate = path
    while True:
        try:
            candidate.mkdir(mode=0o700)
            return candidate
        except FileExistsError:
            number += 1
            candidate = path.with_name(f"{path.name}-{number}")
