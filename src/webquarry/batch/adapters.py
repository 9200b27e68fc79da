"""The Arrow function in the forms of polars, Daft, Ray Data and Spark. `options` are those of
`AskFunction`; the answers are structs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.batch.function import AskFunction
from webquarry.errors import BadInput, MissingExtra
from webquarry.sql.types import load_library

if TYPE_CHECKING:
    import daft
    import polars
    import pyarrow
    import ray
    from pyspark.sql import DataFrame


def polars_ask(context: polars.Expr | str, prompt: str, **options: Any) -> polars.Expr:
    """Return an expression about a column or an expression of texts. It is elementwise: with a
    later `limit`, `slice` or filter, polars asks only about the rows that are left.
    """
    try:
        import polars
    except ImportError as error:
        raise MissingExtra("polars", "Asking from polars") from error
    function = AskFunction(prompt, **options)
    texts = polars.col(context) if isinstance(context, str) else context
    empty = polars.from_arrow(load_library("pyarrow").array([], function.struct_type))

    def answer(series: polars.Series) -> polars.Series:
        found = polars.from_arrow(function.answer_structs(series.to_arrow()))
        assert isinstance(found, polars.Series)
        return found.alias(series.name)

    return texts.map_batches(answer, return_dtype=empty.dtype, is_elementwise=True)


def daft_ask(
    context: daft.Expression | str,
    prompt: str,
    *,
    batch_size: int | None = None,
    use_process: bool | None = None,
    **options: Any,
) -> daft.Expression:
    """Return an expression about a column or an expression of texts. `batch_size` and `use_process`
    are Daft's.
    """
    try:
        import daft
    except ImportError as error:
        raise MissingExtra("daft", "Asking from Daft") from error
    function = AskFunction(prompt, **options)
    kind = daft.DataType.from_arrow_type(function.struct_type)

    def webquarry_ask(texts: daft.Series) -> Any:
        return function.answer_structs(texts.to_arrow())

    decorate = daft.func.batch(return_dtype=kind, batch_size=batch_size, use_process=use_process)
    asking: Any = decorate(webquarry_ask)
    expression: daft.Expression = asking(daft.col(context) if isinstance(context, str) else context)
    return expression


def ray_ask(
    dataset: ray.data.Dataset,
    column: str,
    prompt: str,
    *,
    into: str = "answer",
    ray_options: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Return the dataset with a column of answers. `ray_options` are those of `map_batches`."""
    try:
        import ray.data  # noqa: F401 - check that it is installed
    except ImportError as error:
        raise MissingExtra("ray", "Asking from Ray") from error
    function = AskFunction(prompt, column=column, **options)
    return dataset.map_batches(
        _add_to_table,
        fn_kwargs={"function": function, "into": into},
        batch_format="pyarrow",
        **(ray_options or {}),
    )


def spark_ask(
    frame: DataFrame, column: str, prompt: str, *, into: str = "answer", **options: Any
) -> DataFrame:
    """Return the data frame with a column of answers."""
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
    return frame.mapInArrow(partial(_add_to_batches, function, into), schema)


def _add_to_table(table: pyarrow.Table, *, function: AskFunction, into: str) -> pyarrow.Table:
    return function.add_answers(table, into)


def _add_to_batches(
    function: AskFunction, into: str, batches: Iterator[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        yield function.add_answers(batch, into)
