"""One function from an Arrow batch to an Arrow batch: texts of a column in, structs with answers
out, in any process that it is sent to.

It holds plain texts and numbers. Keys, connections and settings are those of the process that calls
it; the name and the limits of the run travel, so that all processes share one budget. Only the
first of equal rows has the cost. A row without an answer has an `error`: raising would make an
engine repeat the whole batch. Raised is what every row would meet: no key, no records, a
cancellation.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from webquarry.ask.batch import ask_rows
from webquarry.ask.ledger import SpendingRecord, add_total, shorten_words
from webquarry.ask.models import MAX_TOKENS, AskLimits
from webquarry.ask.schema import Schema
from webquarry.batch.worker import DOOR, get_worker, read_bill
from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.sql.types import ERROR, SOURCES, USAGE, build_arrow_type, load_library

if TYPE_CHECKING:
    import pyarrow as pa

    from webquarry.ask.engine import Engine
    from webquarry.ask.statement import Statement

_COLUMNS: dict[str, Any] = {
    "answer": "VARCHAR",
    "sources": SOURCES,
    "searched": "BOOLEAN",
    "usage": USAGE,
    "error": ERROR,
    "partial": "BOOLEAN",
    "value": "VARCHAR",
    "search_failed": "VARCHAR",
}
AsSet = Literal["as set"]  # the limit of the settings


@dataclass(frozen=True)
class BatchPlan:
    """Questions of a dry run in this process, and their maximum cost."""

    questions: int
    worst_usd: float


class AskFunction:
    """Asks one question about each text of a column.

    `column` is the column of the texts. `max_rows` and `max_usd` limit what the run pays for in all
    processes; None is no limit, and the default is that of the settings of the process that makes
    the function. `dry_run` asks nothing: the first row of each batch has the number of questions
    and their maximum cost in `usage`.
    """

    def __init__(
        self,
        prompt: str,
        *,
        column: str = "context",
        model: str | None = None,
        max_tokens: int = MAX_TOKENS,
        search: bool | None = None,
        schema: str | None = None,
        instructions: str | None = None,
        fresh: bool = False,
        max_rows: int | AsSet | None = "as set",
        max_usd: float | AsSet | None = "as set",
        dry_run: bool = False,
        run: str | None = None,
    ) -> None:
        if not isinstance(prompt, str) or not prompt.strip():
            raise BadInput("A question is needed.", suggested_action="Give the prompt as text.")
        if schema is not None:
            Schema.parse(schema)  # raises here instead of in every worker
        settings = Settings.from_environment()
        self.column = column
        self.run = run or secrets.token_hex(8)
        self.dry_run = dry_run
        self._prompt = prompt
        self._options: dict[str, Any] = {
            "prompt": prompt,
            "model": model or settings.ask_model,
            "max_tokens": max_tokens,
            "search": search,
            "schema": schema,
            "instructions": instructions,
            "fresh": fresh,
        }
        self._limits = AskLimits(
            settings.ask_max_rows if max_rows == "as set" else max_rows,
            settings.ask_max_usd if max_usd == "as set" else max_usd,
            settings.ask_max_usd_per_day,
        )

    def __call__(self, batch: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
        """Return the answers to the column as a batch of columns (`output_schema`)."""
        return self.answer(self._find_texts(batch))

    def answer(self, texts: pa.Array | pa.ChunkedArray) -> pa.RecordBatch:
        """Return the answers to texts; a null has none and costs nothing."""
        pa = load_library("pyarrow")
        texts = texts.cast(pa.string())
        if isinstance(texts, pa.ChunkedArray):
            texts = pa.concat_arrays(texts.chunks or [pa.array([], pa.string())])
        columns: dict[str, Any] = {"context": texts}
        for name, value in self._options.items():
            if value is not None:
                columns[name] = pa.repeat(pa.scalar(value), len(texts))
        worker = get_worker()
        statement = worker.get_statement(self.run, self._open_statement)
        replies = ask_rows(
            pa.RecordBatch.from_pydict(columns),
            worker.engine,
            statement,
            lambda work: worker.run(work, statement),
        )
        rows = [{} if reply is None else reply.row for reply in replies]
        answers = pa.RecordBatch.from_pylist(rows, schema=self.output_schema)
        if self.dry_run and len(answers):
            answers = _add_plan(answers, *statement.take_new("planned", "worst_usd"))
        return answers

    def answer_structs(self, texts: pa.Array | pa.ChunkedArray) -> pa.StructArray:
        """Return the answers as one column of structs; null for a null."""
        pa = load_library("pyarrow")
        answers = self.answer(texts)
        mask = answers.column("searched").is_null()
        return pa.StructArray.from_arrays(answers.columns, fields=list(answers.schema), mask=mask)

    def add_answers(
        self, table: pa.RecordBatch | pa.Table, into: str = "answer"
    ) -> pa.RecordBatch | pa.Table:
        """Return the rows with a column of answers."""
        if into in table.schema.names:
            raise BadInput(
                f"The rows have a column {into!r} already.",
                suggested_action="Give another name as `into`.",
            )
        structs = self.answer_structs(self._find_texts(table))
        return table.append_column(into, structs)

    @property
    def output_schema(self) -> pa.Schema:
        """The columns of the answers."""
        fields = [(name, build_arrow_type(kind)) for name, kind in _COLUMNS.items()]
        return load_library("pyarrow").schema(fields)

    @property
    def struct_type(self) -> pa.DataType:
        """The type of a column of answers."""
        return load_library("pyarrow").struct(list(self.output_schema))

    def read_bill(self) -> SpendingRecord:
        """Return the cost of the run so far, in all processes that share the bill."""
        return add_total(read_bill(self.run, days=2))

    def plan(self) -> BatchPlan:
        """Return the plan of a dry run in this process so far."""
        progress = get_worker().get_statement(self.run, self._open_statement).progress()
        return BatchPlan(progress.planned, progress.worst_usd)

    def _find_texts(self, batch: pa.RecordBatch | pa.Table) -> Any:
        names = batch.schema.names
        if self.column not in names:
            raise BadInput(
                f"The batch has no column {self.column!r}; it has {', '.join(names) or 'none'}.",
                suggested_action="Name the column of the texts.",
            )
        return batch.column(self.column)

    def _open_statement(self, engine: Engine) -> Statement:
        return engine.statement(
            door=DOOR,
            limits=self._limits,
            dry_run=self.dry_run,
            words=shorten_words(self._prompt),
            run=self.run,
        )

    def __repr__(self) -> str:
        words = shorten_words(self._prompt)
        return f"AskFunction({words!r}, column={self.column!r}, run={self.run!r})"


def _add_plan(answers: pa.RecordBatch, questions: int, worst_usd: float) -> pa.RecordBatch:
    """Write the plan of a dry run into the first row."""
    pa = load_library("pyarrow")
    place = answers.schema.get_field_index("usage")
    field = answers.schema.field(place)
    rows = answers.column(place).to_pylist()
    rows[0] = (rows[0] or {}) | {"calls": questions, "usd": worst_usd}
    return answers.set_column(place, field, pa.array(rows, field.type))
