"""Daft: an expression that asks about a column of texts, on this machine or on Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry.batch.function import AskFunction
from webquarry.errors import MissingExtra

if TYPE_CHECKING:
    import daft


def daft_ask(
    context: daft.Expression | str,
    prompt: str,
    *,
    batch_size: int | None = None,
    use_process: bool | None = None,
    **options: Any,
) -> daft.Expression:
    """An expression of structs with the answers. `context` is a column or an expression of texts,
    `batch_size` and `use_process` are Daft's, `options` those of `AskFunction`.
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
    column = daft.col(context) if isinstance(context, str) else context
    expression: daft.Expression = asking(column)
    return expression
