"""The progress of a statement below the cell of a notebook that runs it; the last line is its
bill.
"""

from __future__ import annotations

from webquarry.ask.models import Progress
from webquarry.sql.shell.progress_line import ProgressLine, format_line, summarize
from webquarry.surfaces.display.cell_progress import CellProgress, is_in_kernel


class CellProgressLine(ProgressLine):
    """A progress line that a notebook shows; `wanted` is as on a terminal, and None means yes."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = CellProgress()
        self._latest = Progress()

    def __call__(self, progress: Progress) -> None:
        if self.wanted is not False:
            self._latest = progress
            self._cell.show(format_line(progress), progress.done, progress.rows)

    def clear(self) -> None:
        """A call has ended, and the next of the same statement goes on in the same line."""

    def end(self, progress: Progress, said: str = "") -> None:
        """The statement has ended: what it took."""
        if self._cell.is_begun:
            self._cell.end(f"{said}{summarize(progress)}")


def open_progress_line() -> ProgressLine:
    """Where the progress of this process is to be seen."""
    if is_in_kernel():
        return CellProgressLine()
    return ProgressLine()
