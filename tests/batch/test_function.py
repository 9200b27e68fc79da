"""One function from an Arrow batch to an Arrow batch: what it pays for, what it says, what travels."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pyarrow
import pytest

import webquarry.batch
from tests.ask.fakes import MODEL_KEY, FakeServers
from tests.redis_server import RedisServer
from webquarry.batch import AskFunction
from webquarry.batch.worker import get_worker
from webquarry.errors import AuthFailure, BadInput, RecordsFailure

PROMPT = "What industry is it in?"
pytestmark = pytest.mark.usefixtures("environ")


def build_table(*companies: str | None) -> pyarrow.Table:
    return pyarrow.table({"company": pyarrow.array(companies, pyarrow.string())})


def ask(**options: object) -> AskFunction:
    return AskFunction(PROMPT, column="company", **options)  # type: ignore[arg-type]


def test_equal_rows_are_one_question_and_the_first_has_the_cost(servers: FakeServers) -> None:
    rows = ask()(build_table("ACME", "Globex", "ACME", None)).to_pylist()

    assert servers.messages == 2
    assert [row["usage"] and row["usage"]["calls"] for row in rows] == [1, 1, 0, None]
    assert rows[0]["answer"] == rows[2]["answer"]
    assert rows[3]["answer"] is None
    assert rows[3]["error"] is None


def test_answers_are_added_to_a_table_and_to_a_batch() -> None:
    table = build_table("ACME", None)
    for rows in (table, table.to_batches()[0]):
        added = ask().add_answers(rows, "a")
        assert added.schema.names == ["company", "a"]
        assert added.schema.field("a").type == ask().struct_type
        first, second = added.column("a").to_pylist()
        assert first["answer"]
        assert second is None
    with pytest.raises(BadInput, match="'company' already"):
        ask().add_answers(table, "company")
    with pytest.raises(BadInput, match="no column 'company'"):
        ask()(pyarrow.table({"other": ["x"]}))


def test_columns_in_chunks_and_of_large_texts_are_taken(servers: FakeServers) -> None:
    large = pyarrow.chunked_array([["ACME"], ["Globex"]], pyarrow.large_string())

    assert len(ask().answer(large)) == 2
    assert servers.messages == 2
    assert len(ask().answer(pyarrow.array([], pyarrow.string()))) == 0


def test_limit_of_the_run_holds_over_batches_and_is_the_error_of_the_rest(
    servers: FakeServers,
) -> None:
    function = ask(max_rows=2)
    first = function(build_table("a", "b")).to_pylist()
    second = function(build_table("b", "c")).to_pylist()

    assert servers.messages == 2
    assert [row["error"] for row in first] == [None, None]
    assert second[0]["answer"]
    assert second[1]["error"]["code"] == "limit"
    assert "max_rows" in second[1]["error"]["message"]
    # Another run has limits of its own.
    assert ask(max_rows=2)(build_table("c")).to_pylist()[0]["answer"]


def test_failed_row_has_an_error_and_others_are_answered(
    servers: FakeServers,
) -> None:
    answers = ask()(build_table("fine", "no [refuse]"))
    first, second = answers.to_pylist()

    assert answers.schema == ask().output_schema
    assert first["answer"].startswith("Answer to")
    assert (first["error"], first["usage"]["calls"]) == (None, 1)
    assert second["answer"] is None
    assert (second["error"]["code"], second["error"]["retryable"]) == ("refused", False)


def test_empty_batch_has_no_answers(servers: FakeServers) -> None:
    assert ask()(build_table()).num_rows == 0
    assert servers.messages == 0


def test_missing_key_is_raised_at_once(
    servers: FakeServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(AuthFailure):
        ask()(build_table("a"))
    assert servers.messages == 0


def test_dry_run_sends_nothing_and_its_sum_is_the_plan(servers: FakeServers) -> None:
    function = ask(dry_run=True)
    usage = []
    for batch in (build_table("a", "b", "a"), build_table("b", "c")):
        usage += [row["usage"] for row in function(batch).to_pylist()]

    assert servers.messages == 0
    plan = function.plan()
    assert plan.questions == sum(one["calls"] for one in usage) == 3
    assert plan.worst_usd == pytest.approx(sum(one["usd"] for one in usage))
    assert plan.worst_usd > 0


def test_bill_of_a_run_is_its_own(servers: FakeServers) -> None:
    one, two = ask(), ask()
    one(build_table("a", "b", "b"))
    two(build_table("b", "c"))

    assert (one.read_bill().calls, one.read_bill().hits) == (2, 1)
    assert (two.read_bill().calls, two.read_bill().hits) == (1, 1)
    assert {record.door for record in webquarry.batch.read_bill()} == {"batch"}


def test_pickled_function_is_small_and_holds_no_secret(servers: FakeServers) -> None:
    function = ask(max_usd=1.5)
    function(build_table("a"))  # everything is open now
    pickled = pickle.dumps(function)

    assert len(pickled) < 1024
    assert MODEL_KEY.encode() not in pickled
    again = pickle.loads(pickled)
    assert again.run == function.run
    assert again(build_table("a")).to_pylist()[0]["answer"]
    assert servers.messages == 1


def test_invalid_question_and_schema_are_rejected_at_once() -> None:
    with pytest.raises(BadInput, match="question"):
        AskFunction(" ")
    with pytest.raises(BadInput):
        AskFunction(PROMPT, schema="{")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_forked_process_opens_its_own_worker(servers: FakeServers) -> None:
    function = ask()
    function(build_table("a"))
    parent = get_worker()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            rows = function(build_table("a", "b")).to_pylist()
            status = int(not all(row["answer"] for row in rows) or get_worker() is parent)
        finally:
            os._exit(status)

    assert os.waitpid(child, 0)[1] == 0
    assert servers.messages == 2


def test_without_its_redis_nothing_is_asked(
    servers: FakeServers,
    redis_server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name, value in redis_server.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    function = ask()
    function(build_table("a"))
    redis_server.stop()

    with pytest.raises(RecordsFailure, match="Redis"):
        function(build_table("b"))
    assert servers.messages == 1


def test_redis_that_is_there_for_others_is_not_used(
    servers: FakeServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")

    assert ask()(build_table("a")).to_pylist()[0]["answer"]
