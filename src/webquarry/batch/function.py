"""One function from an Arrow batch to an Arrow batch: texts of a column go in, structs with their
answers come out, in any process that it was sent to.

It is a value of plain words and numbers. Keys, connections and settings are those of the process
that calls it; the run's name and limits travel, so that all who work on it spend from one purse.
Equal rows of a batch are one question, and only the first of them says what was paid. A row that
has no answer has an `error`: nothing is raised for it, since an engine would repeat the whole
batch. What every row would meet is raised: no key, no records to count in, a cancellation.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from webquarry.ask.batch import answer_batch, answer_schema, import_arrow
from webquarry.ask.billing.ledger import SpendingRecord, add_total, shorten_words
from webquarry.ask.models import MAX_TOKENS, AskLimits
from webquarry.batch.worker import DOOR, get_worker, read_bill
from webquarry.errors import BadInput
from webquarry.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

    from webquarry.ask.billing.statement import Statement
    from webquarry.ask.engine import Engine

AsSet = Literal["as set"]  # a limit that is that of the settings


@dataclass(frozen=True)
class BatchPlan:
    """What a dry run found in this process: so many questions, which may cost so much at most."""

    questions: int
    worst_usd: float


class AskFunction:
    """Asks one question about each text of a column.

    `column` is the column of the texts. `max_rows` and `max_usd` are limits on all that the run
    pays for, in whatever process; None is no limit, and unless they are given they are those of the
    settings of the process that makes the function. `dry_run` asks nobody: in its answers the
    first row of each batch says in `usage` how many questions there are and what they may cost.
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
            from webquarry.ask.schema import Schema

            Schema.parse(schema)  # what is wrong is told here, not by every worker
        settings = Settings.from_environment()
        self.column = column
        self.run = run or secrets.token_hex(8)
        self.dry_run = dry_run
        self._words = prompt
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
        """The answers to the texts of the column, as a batch of columns (`output_schema`)."""
        return self.answer(self._find_texts(batch))

    def answer(self, texts: pa.Array | pa.ChunkedArray) -> pa.RecordBatch:
        """The answers to texts; a null has none and costs nothing."""
        pa = import_arrow()
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        if isinstance(texts, pa.ChunkedArray):  # what is too long for one array
            texts = pa.concat_arrays(texts.chunks)
        encoded = texts.cast(pa.string()).dictionary_encode()
        distinct = encoded.dictionary
        worker = get_worker()
        statement = worker.get_statement(self.run, self._make_statement)
        answers = answer_batch(
            self._build_questions(distinct),
            worker.engine,
            statement,
            lambda work: worker.run(work, statement),
        )
        if self.dry_run:
            answers = _note_plan(answers, *statement.take_new_plan())
        repeats = len(texts) - texts.null_count - len(distinct)
        statement.add_rows(repeats)
        statement.count_answers(rows=repeats, hits=0 if self.dry_run else repeats)
        return _spread(answers, encoded.indices)

    def answer_structs(self, texts: pa.Array | pa.ChunkedArray) -> pa.StructArray:
        """The same as one column of structs; one without a text is null."""
        pa = import_arrow()
        answers = self.answer(texts)
        mask = answers.column("searched").is_null()
        return pa.StructArray.from_arrays(answers.columns, fields=list(answers.schema), mask=mask)

    def add_answers(
        self, table: pa.RecordBatch | pa.Table, into: str = "answer"
    ) -> pa.RecordBatch | pa.Table:
        """The rows with a column of answers more."""
        pa = import_arrow()
        if into in table.schema.names:
            raise BadInput(
                f"The rows have a column {into!r} already.",
                suggested_action="Give another name as `into`.",
            )
        structs = self.answer_structs(self._find_texts(table))
        if isinstance(table, pa.RecordBatch):
            columns = [*table.columns, structs]
            fields = [*table.schema, pa.field(into, structs.type)]
            return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
        return table.append_column(into, structs)

    @property
    def output_schema(self) -> pa.Schema:
        """The columns of the answers."""
        return answer_schema()

    @property
    def struct_type(self) -> pa.DataType:
        """The type of a column of answers."""
        return import_arrow().struct(list(self.output_schema))

    def read_bill(self) -> SpendingRecord:
        """What the run has taken so far, in all processes that share where this one keeps its
        bill.
        """
        return add_total(read_bill(self.run, days=2))

    def plan(self) -> BatchPlan:
        """What a dry run has found in this process so far."""
        progress = get_worker().get_statement(self.run, self._make_statement).progress()
        return BatchPlan(progress.planned, progress.worst_usd)

    def _find_texts(self, batch: pa.RecordBatch | pa.Table) -> Any:
        """The column of the texts."""
        names = batch.schema.names
        if self.column not in names:
            raise BadInput(
                f"The batch has no column {self.column!r}; it has {', '.join(names) or 'none'}.",
                suggested_action="Name the column of the texts.",
            )
        return batch.column(self.column)

    def _make_statement(self, engine: Engine) -> Statement:
        return engine.statement(
            door=DOOR,
            limits=self._limits,
            dry_run=self.dry_run,
            words=shorten_words(self._words),
            run=self.run,
        )

    def _build_questions(self, contexts: pa.Array) -> pa.RecordBatch:
        """A batch of distinct texts with the options of all."""
        pa = import_arrow()
        columns: dict[str, Any] = {"context": contexts}
        for name, value in self._options.items():
            if value is not None:
                columns[name] = pa.repeat(pa.scalar(value), len(contexts))
        return pa.RecordBatch.from_pydict(columns)

    def __repr__(self) -> str:
        return (
            f"AskFunction({shorten_words(self._words)!r}, column={self.column!r}, run={self.run!r})"
        )


def _spread(answers: pa.RecordBatch, indices: pa.Array) -> pa.RecordBatch:
    """The answers in the places of their texts; what was paid stands at the first place only."""
    pa = import_arrow()
    import numpy

    place = answers.schema.get_field_index("usage")
    spread = answers.take(indices)
    if len(spread) == len(answers):
        return spread
    usage = spread.column(place)
    places = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    is_first = numpy.zeros(len(places), bool)
    is_first[numpy.unique(places, return_index=True)[1]] = True
    counts = []
    for column in usage.flatten():
        numbers = column.fill_null(0).to_numpy(zero_copy_only=False)
        counts.append(pa.array(numpy.where(is_first, numbers, 0), column.type))
    paid = pa.StructArray.from_arrays(counts, fields=list(usage.type), mask=usage.is_null())
    return spread.set_column(place, spread.schema.field(place), paid)


def _note_plan(answers: pa.RecordBatch, questions: int, worst_usd: float) -> pa.RecordBatch:
    """The answers of a dry run, of which the first says what there would be to pay."""
    pa = import_arrow()
    place = answers.schema.get_field_index("usage")
    if not len(answers):
        return answers
    kind = answers.schema.field(place).type
    rows = answers.column(place).to_pylist()
    rows[0] = (rows[0] or {}) | {"calls": questions, "usd": worst_usd}
    return answers.set_column(place, answers.schema.field(place), pa.array(rows, kind))
