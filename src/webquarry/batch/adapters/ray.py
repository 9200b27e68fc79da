"""Ray Data: a dataset with a column of answers more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry.batch.function import AskFunction
from webquarry.errors import MissingExtra

if TYPE_CHECKING:
    import pyarrow
    import ray


def ray_ask(
    dataset: ray.data.Dataset,
    column: str,
    prompt: str,
    *,
    into: str = "answer",
    ray_options: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """The dataset with a column of structs. `ray_options` go to `map_batches` (`compute`,
    `batch_size`, `num_cpus`, ...), `options` are those of `AskFunction`.
    """
    try:
        import ray.data  # noqa: F401 - see that it is there
    except ImportError as error:
        raise MissingExtra("ray", "Asking from Ray") from error
    function = AskFunction(prompt, column=column, **options)
    return dataset.map_batches(
        add_answers,
        fn_kwargs={"function": function, "into": into},
        batch_format="pyarrow",
        **(ray_options or {}),
    )


def add_answers(table: pyarrow.Table, *, function: AskFunction, into: str) -> pyarrow.Table:
    """One batch of Ray's."""
    return function.add_answers(table, into)
