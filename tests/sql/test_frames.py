"""Results as Arrow tables and data frames: the types are those of the statement."""

from __future__ import annotations

import sys
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

import webquarry
from webquarry.sql import Session

pandas = pytest.importorskip("pandas", reason="pandas is not installed")

# SQL of a value -> its Arrow type, and the value in it.
VALUES: list[tuple[str, str, Any]] = [
    ("1::TINYINT", "int8", 1),
    ("1.5::DECIMAL(10, 2)", "decimal128(10, 2)", Decimal("1.50")),
    ("[{'a': 1}]", "list<l: struct<a: int32>>", [{"a": 1}]),
    ("DATE '2026-11-17'", "date32[day]", date(2026, 11, 17)),
    ("'5b1ad6ac-27cf-4b1c-9d8a-6ac1f9a0c9b2'::UUID", "string", "5b1ad6ac-27cf-4b1c-9d8a-6ac1f9a0c9b2"),
    ("NULL", "null", None),
    ("NULL::BIGINT", "int64", None),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "kind", "value"), VALUES)
def test_column_has_the_type_of_the_statement(
    session: Session, sql: str, kind: str, value: Any
) -> None:
    table = session.sql(f"SELECT {sql} AS a").arrow()

    assert [(field.name, str(field.type)) for field in table.schema] == [("a", kind)]
    assert table.to_pylist() == [{"a": value}]


def test_statement_without_rows_still_has_its_columns(session: Session) -> None:
    result = session.sql("SELECT 1::BIGINT AS a, 'x' AS b WHERE false")

    assert str(result.arrow().schema) == "a: int64\nb: string"
    assert list(result.df().columns) == ["a", "b"]


def test_data_frame_pays_for_nothing_again(session: Session, servers: Any) -> None:
    result = session.sql("SELECT x, ask(x, 'q').answer AS a FROM (VALUES (1), (2)) AS t(x)")
    asked = servers.messages
    frame = result.df()

    assert frame["x"].tolist() == [1, 2]
    assert frame["a"][0].startswith("Answer to")
    assert servers.messages == asked


def test_error_without_pandas_has_an_action(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    result = session.sql("SELECT 1 AS a")
    with pytest.raises(webquarry.Unreadable, match="pandas") as missing:
        result.df()

    assert "pip install pandas" in missing.value.suggested_action
    assert result.arrow().num_rows == 1
