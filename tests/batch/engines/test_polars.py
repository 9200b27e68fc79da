"""polars asks about the rows that are left, each question once."""

from __future__ import annotations

from typing import Any

import polars
import pytest

from tests.ask.fakes import FakeServers
from tests.batch.processes import DISTINCT, PROMPT, ROWS
from tests.batch.program import build_texts
from webquarry.batch import polars_ask

pytestmark = pytest.mark.usefixtures("environ")


def build_frame() -> polars.LazyFrame:
    texts = build_texts(ROWS, DISTINCT)
    return polars.LazyFrame({"company": texts, "number": range(ROWS)})


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_equal_rows_are_one_question(servers: FakeServers, engine: Any) -> None:
    asked = build_frame().with_columns(a=polars_ask("company", PROMPT))
    rows = asked.collect(engine=engine)

    assert servers.messages == DISTINCT
    assert rows["a"].struct.field("answer").null_count() == 0
    assert rows["a"].struct.field("usage").struct.field("calls").sum() == DISTINCT
    assert rows["a"].struct.field("error").null_count() == ROWS


def test_limit_that_comes_later_is_paid_for_alone(servers: FakeServers) -> None:
    asked = build_frame().with_columns(a=polars_ask("company", PROMPT))

    assert asked.head(5).collect().height == 5
    assert servers.messages == 5
    assert asked.filter(polars.col("number") < 8).collect().height == 8
    assert servers.messages == 8


def test_dry_run_estimates_the_cost_and_sends_nothing(servers: FakeServers) -> None:
    asked = build_frame().with_columns(a=polars_ask("company", PROMPT, dry_run=True))
    usage = asked.collect()["a"].struct.field("usage")

    assert servers.messages == 0
    assert usage.struct.field("calls").sum() == DISTINCT
    assert usage.struct.field("usd").sum() > 0


def test_limit_of_the_run_is_the_error_of_the_other_rows(servers: FakeServers) -> None:
    asked = build_frame().with_columns(a=polars_ask("company", PROMPT, max_rows=20))
    errors = asked.collect()["a"].struct.field("error").struct.field("code")

    assert servers.messages == 20
    assert errors.value_counts().filter(polars.col("code") == "limit")["count"][0] == 8000


def test_explain_shows_the_function_and_pays_nothing(servers: FakeServers) -> None:
    plan = build_frame().with_columns(a=polars_ask("company", PROMPT)).explain()

    assert "PYTHON" in plan.upper() or "MAP" in plan.upper()
    assert servers.messages == 0
