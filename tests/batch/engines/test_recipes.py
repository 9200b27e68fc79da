"""docs/engines.md: its recipes run, and its plans pay for what it says."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

import daft
import polars
import pytest

from tests.ask.fakes import FakeServers
from tests.documents.blocks import find_blocks
from webquarry.batch import AskFunction, daft_ask, polars_ask

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text("utf-8")
RECIPES = {block.file: block.text for block in find_blocks(PAGE) if block.language == "py3"}
PLANS = re.findall(r"^\| (polars|Daft) \| `(.+?)` \| ([\d,]+) \|$", PAGE, re.MULTILINE)
ROWS = 1000
pytestmark = pytest.mark.usefixtures("environ")


@pytest.mark.parametrize("engine", ["arrow", "polars", "daft"])
def test_recipe_asks_each_question_once(servers: FakeServers, engine: str) -> None:
    exec(RECIPES[engine], {})

    assert servers.messages == 2


def test_page_has_plans_of_both_engines() -> None:
    assert {engine for engine, _, _ in PLANS} == {"polars", "Daft"}
    assert len(PLANS) >= 12


@pytest.mark.parametrize(("engine", "plan", "questions"), PLANS)
def test_plan_asks_about_the_documented_number_of_rows(
    engine: str, plan: str, questions: str
) -> None:
    run = secrets.token_hex(4)
    rows: Any = {
        "company": [f"Company {number}" for number in range(ROWS)],
        "number": list(range(ROWS)),
    }
    names: dict[str, Any]
    if engine == "polars":
        asking: Any = polars_ask("company", "q", dry_run=True, run=run)
        names = {"t": polars.LazyFrame(rows), "col": polars.col, "f": asking}
        eval(plan, names).collect()
    else:
        asking = daft_ask("company", "q", dry_run=True, run=run)
        names = {"t": daft.from_pydict(rows), "col": daft.col, "f": asking}
        eval(plan, names).to_pydict()

    found = AskFunction("q", dry_run=True, run=run).plan().questions
    assert found == int(questions.replace(",", ""))
