"""polars: an expression that asks about a column of texts.

It is declared to work row by row, which it does: so that polars asks only about rows that are left,
where a `limit`, a `slice` or a filter on other columns comes later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry.batch.function import AskFunction
from webquarry.errors import MissingExtra

if TYPE_CHECKING:
    import polars


def polars_ask(context: polars.Expr | str, prompt: str, **options: Any) -> polars.Expr:
    """An expression of structs with the answers (`.struct.field("answer")`). `context` is a column
    or an expression of texts, `options` are those of `AskFunction`.
    """
    try:
        import polars
    except ImportError as error:
        raise MissingExtra("polars", "Asking from polars") from error
    function = AskFunction(prompt, **options)
    texts = polars.col(context) if isinstance(context, str) else context
    structs = polars.from_arrow(_empty(function))

    def answer(series: polars.Series) -> polars.Series:
        found = polars.from_arrow(function.answer_structs(series.to_arrow()))
        assert isinstance(found, polars.Series)
        return found.alias(series.name)

    return texts.map_batches(answer, return_dtype=structs.dtype, is_elementwise=True)


def _empty(function: AskFunction) -> Any:
    """An array of answers without a row."""
    import pyarrow

    return pyarrow.array([], function.struct_type)
