"""A batch of rows in, a batch of answers out, with no database in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.ask.fakes import FakeServers, home
from webquarry.ask.batch import ask_rows
from webquarry.ask.engine import Engine
from webquarry.bridge import Bridge
from webquarry.errors import BadInput
from webquarry.toolkit import Toolkit


@pytest.fixture
def asking(servers: FakeServers, tmp_path: Path) -> Iterator[tuple[Engine, Callable[[Any], Any]]]:
    """An engine, and what runs its coroutines."""
    environ = home(servers, tmp_path)
    from webquarry.settings import Settings

    bridge = Bridge()
    kit = Toolkit(Settings.from_environment(environ), environ)
    engine = kit.open_engine()
    bridge.at_close(kit.aclose)
    bridge.at_close(engine.aclose)
    yield engine, bridge.run
    bridge.close()


def ask_texts(*arguments: Any) -> list[str | None]:
    """The answers, or the errors as text."""
    replies = ask_rows(*arguments)
    return [None if reply is None else reply.text for reply in replies]


def batch(**columns: list[Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


def test_row_without_context_or_prompt_has_no_answer_and_costs_nothing(
    servers: FakeServers, asking: Any
) -> None:
    engine, run = asking
    rows = batch(context=["a", None, "c", ""], prompt=["p", "p", None, "p"])

    texts = ask_texts(rows, engine, engine.statement(), run)

    assert [text is None for text in texts] == [False, True, True, False]
    assert servers.messages == 2


def test_options_apply_per_row(servers: FakeServers, asking: Any) -> None:
    engine, run = asking
    servers.answer = lambda question, model: '{"n": 1}'
    rows = batch(
        context=["a", "b", "c"],
        prompt=["p", "p", "p"],
        model=["claude-haiku-5-5", None, None],
        max_tokens=[None, 50, None],
        search=[None, False, None],
        schema=[None, None, '{"n": "INTEGER"}'],
    )
    replies = ask_rows(rows, engine, engine.statement(), run)
    sent = {body["messages"][0]["content"][9]: body for body in servers.bodies}

    assert sent["a"]["model"] == "claude-haiku-5-5"
    assert (sent["b"]["max_tokens"], "tools" in sent["b"]) == (50, False)
    assert sent["c"]["max_tokens"] == 1000
    assert "output_config" in sent["c"]
    assert [reply and reply.value for reply in replies] == [None, None, {"n": 1}]


def test_answers_in_memory_do_not_use_the_loop(servers: FakeServers, asking: Any) -> None:
    engine, run = asking
    rows = batch(context=["a", "b"] * 500, prompt=["p"] * 1000)
    first = ask_texts(rows, engine, engine.statement(), run)

    def refuse(work: Any) -> Any:
        work.close()
        raise AssertionError("nothing is missing")

    statement = engine.statement()
    assert ask_texts(rows, engine, statement, refuse) == first
    assert (statement.progress().hits, statement.progress().rows) == (1000, 1000)
    assert servers.messages == 2


def test_batch_without_its_columns_is_refused(asking: Any) -> None:
    engine, run = asking
    with pytest.raises(BadInput, match="prompt"):
        ask_texts(batch(context=["a"]), engine, engine.statement(), run)


def test_progress_is_reported_per_answer(asking: Any) -> None:
    engine, run = asking
    heard: list[int] = []
    rows = batch(context=[f"row {n}" for n in range(20)], prompt=["p"] * 20)
    ask_texts(rows, engine, engine.statement(), run, lambda progress: heard.append(progress.done))

    assert heard == list(range(1, 21))
