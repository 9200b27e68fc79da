"""Spark with two local workers, where there is Java."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.ask.fakes import FakeServers
from tests.batch.processes import DISTINCT, PROMPT, ROWS
from tests.batch.program import build_texts
from webquarry.batch import spark_ask
from webquarry.errors import BadInput

ROOT = Path(__file__).parents[3]


@pytest.fixture
def session(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    built = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = built.config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def test_two_workers_pay_for_each_question_once_and_keep_a_cap(
    slow_model: FakeServers, session: SparkSession
) -> None:
    texts = [(text,) for text in build_texts(ROWS, DISTINCT)]
    frame = session.createDataFrame(texts, ["company"]).repartition(2)

    capped = spark_ask(frame, "company", PROMPT, max_rows=20).collect()
    assert slow_model.messages == 20
    assert sum(row.answer.error is not None for row in capped) == 8000

    rows = spark_ask(frame, "company", PROMPT).collect()
    assert slow_model.messages == DISTINCT
    assert all(row.answer.answer for row in rows)
    with pytest.raises(BadInput, match="nowhere"):
        spark_ask(frame, "nowhere", PROMPT)
