"""Spark: a data frame with a column of answers more, by `mapInArrow`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.batch.function import AskFunction
from webquarry.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame


def spark_ask(
    frame: DataFrame, column: str, prompt: str, *, into: str = "answer", **options: Any
) -> DataFrame:
    """The data frame with a column of structs; `options` are those of `AskFunction`."""
    try:
        from pyspark.sql.pandas.types import from_arrow_type
        from pyspark.sql.types import StructField, StructType
    except ImportError as error:
        raise MissingExtra("spark", "Asking from Spark") from error
    if column not in frame.columns or into in frame.columns:
        names = ", ".join(frame.columns)
        raise BadInput(
            f"A column {column!r} to ask about and no column {into!r} are needed; there are "
            f"{names}.",
            suggested_action="Name the column of the texts, and another one as `into`.",
        )
    function = AskFunction(prompt, column=column, **options)
    answers = StructField(into, from_arrow_type(function.struct_type))
    schema = StructType([*frame.schema.fields, answers])
    return frame.mapInArrow(partial(add_answers, function=function, into=into), schema)


def add_answers(
    batches: Iterator[pyarrow.RecordBatch], *, function: AskFunction, into: str
) -> Iterator[pyarrow.RecordBatch]:
    """The batches of one partition, one after the other."""
    for batch in batches:
        yield function.add_answers(batch, into)
