"""Questions to a model from any engine that moves columns: one function from an Arrow batch to an
Arrow batch, and its forms for polars, Daft, Ray Data and Spark.

    ask = webquarry.batch.AskFunction("What industry is it in?", column="company")
    answers = ask(batch)                                  # a column of structs, one for each row
    table = ask.add_answers(table)                        # the same as a further column of a table

    frame.with_columns(a=webquarry.batch.polars_ask("company", "What industry is it in?"))

A function is one run: its limits hold for all processes that work on it together, and so does its
bill. docs/engines.md has a recipe for each engine.
"""

from __future__ import annotations

from webquarry.batch.adapters import daft_ask, polars_ask, ray_ask, spark_ask
from webquarry.batch.function import AskFunction, BatchPlan
from webquarry.batch.worker import close, read_bill

__all__ = [
    "AskFunction",
    "BatchPlan",
    "close",
    "daft_ask",
    "polars_ask",
    "ray_ask",
    "read_bill",
    "spark_ask",
]
