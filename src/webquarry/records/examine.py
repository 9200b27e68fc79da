"""Whether records can be used: their folder goes in, what is wrong with them comes out. Nothing is
made or changed: a copy is looked at.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from webquarry.errors import RecordsFailure
from webquarry.records.failures import build_failure, explain_error
from webquarry.records.shape import KEY_NAME, NAME, check_file, open_cipher, prepare
from webquarry.store.log_place import has_foreign_log
from webquarry.store.sqlite import FILE_ERRORS, classify, connect

_MOST_BYTES = 256_000_000  # beyond it a copy takes too long


def examine_records(folder: Path) -> RecordsFailure | None:
    """The error that whoever uses the records would meet; None where all is well, or nothing has
    been recorded yet.
    """
    path = folder / NAME
    if not os.path.lexists(path):
        return None
    try:
        open_cipher(path)
        check_file(path)
        if path.stat().st_size <= _MOST_BYTES:
            _try_copy(folder)
    except (OSError, *FILE_ERRORS) as error:
        return build_failure(classify(error, path), explain_error(error), path)
    return None


def _try_copy(folder: Path) -> None:
    """Open a copy of the records as the records would be opened."""
    with tempfile.TemporaryDirectory(prefix="webquarry-examine-") as place:
        copy = Path(place) / NAME
        names = [NAME, KEY_NAME]
        if not has_foreign_log(folder / NAME):  # which whoever uses the records moves away
            names.append(f"{NAME}-wal")
        for name in names:
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / name, copy.with_name(name))
        cipher = open_cipher(copy)
        connect(copy, lambda database: prepare(database, copy, cipher, thorough=True)).close()
