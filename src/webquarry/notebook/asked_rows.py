"""What was asked about each row of a table, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webquarry.ask.models import ModelReply, Progress
from webquarry.displayable import Displayable
from webquarry.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class AskedRows(Displayable):
    """A reply for each row, in the order of the table; None where a row had nothing to ask
    about.
    """

    column: str
    contexts: Sequence[Any]
    replies: Sequence[ModelReply | None]
    progress: Progress
    table: Any = None  # what was asked about, as it was given

    @property
    def answers(self) -> list[str | None]:
        """The texts alone."""
        return [reply.answer if reply else None for reply in self.replies]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row: what it was about, the answer, its sources and its error."""
        rows = []
        for context, reply in zip(self.contexts, self.replies, strict=True):
            row: dict[str, Any] = {self.column: context, "answer": None, "sources": []}
            row["error"] = None
            if reply is not None:
                row["answer"] = reply.answer
                row["sources"] = [{"title": one.title, "url": one.url} for one in reply.sources]
                row["error"] = reply.error and reply.error.message
                row.update(reply.value or {})
            rows.append(row)
        return rows

    def df(self) -> Any:
        """A `pandas.DataFrame`: the table's own columns, where it is one, and beside them the
        answers.
        """
        try:
            import pandas
        except ImportError:
            raise Unreadable(
                "A data frame needs pandas, which is not installed.",
                suggested_action="Install it: pip install pandas; or use .rows.",
            ) from None
        answered = pandas.DataFrame(self.rows)
        if not isinstance(self.table, pandas.DataFrame):
            return answered
        frame = self.table.copy()
        for name in answered.columns:
            if name != self.column:
                label = f"{name} (asked)" if name in self.table.columns else name
                frame[label] = list(answered[name])
        return frame
