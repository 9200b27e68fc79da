"""Daft on this machine."""

from __future__ import annotations

import daft
import pytest

from tests.ask.fakes import FakeServers
from tests.batch.processes import DISTINCT, PROMPT, ROWS
from tests.batch.program import build_texts
from webquarry.batch import daft_ask


def build_frame() -> daft.DataFrame:
    return daft.from_pydict({"company": build_texts(ROWS, DISTINCT)})


@pytest.mark.usefixtures("environ")
def test_equal_rows_are_one_question_in_all_batches(slow_model: FakeServers) -> None:
    frame = build_frame().with_column("a", daft_ask("company", PROMPT, batch_size=1000))
    rows = frame.to_pydict()["a"]

    assert slow_model.messages == DISTINCT
    assert all(row["answer"] for row in rows)
    assert sum(row["usage"]["calls"] for row in rows) == DISTINCT


@pytest.mark.usefixtures("environ")
def test_limits_and_dry_runs_hold(servers: FakeServers) -> None:
    column = daft.col("company")
    plan = build_frame().with_column("a", daft_ask(column, PROMPT, dry_run=True)).to_pydict()["a"]
    assert servers.messages == 0
    assert sum(row["usage"]["calls"] for row in plan) == DISTINCT

    frame = build_frame().with_column("a", daft_ask(column, PROMPT, max_rows=20))
    rows = frame.to_pydict()["a"]
    assert servers.messages == 20
    assert sum((row["error"] or {}).get("code") == "limit" for row in rows) == 8000


@pytest.mark.usefixtures("environ")
def test_limit_that_comes_later_is_paid_for_alone(servers: FakeServers) -> None:
    frame = build_frame().with_column("a", daft_ask("company", PROMPT)).limit(5)

    assert len(frame.to_pydict()["a"]) == 5
    assert servers.messages <= 5
