"""The ledger: worst cases reserved, real costs settled, and what a dead process leaves behind."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import (
    HELD_SECONDS,
    OverLimit,
    Reservation,
    ReservationRequest,
    Settlement,
    SpendingRecord,
)
from webquarry.ask.models import AnswerSource, AskLimits, ModelReply, Usage
from webquarry.ask.store import GroupCommit
from webquarry.errors import RecordsFailure
from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile
from webquarry.store.sqlite import Connection

DAY = "2026-11-16"
NOW = 1_800_000_000.0


@pytest.fixture
def file(tmp_path: Path) -> Any:
    file = RecordFile(tmp_path)
    yield file
    file.close()


def reserve(
    file: RecordFile, usd: float, limits: AskLimits, statement: str = "s1", now: float = NOW
) -> Reservation:
    request = ReservationRequest(statement, "sql", "m", usd, limits)
    return file.do(lambda db, cipher: ledger.reserve(db, request, now, DAY))


def settle(
    file: RecordFile, held: Reservation, usd: float, uncertain: float = 0.0, now: float = NOW
) -> None:
    settlement = Settlement(held, Usage(calls=1, usd=usd), uncertain)
    file.do(lambda db, cipher: ledger.settle(db, settlement, now))


def spent(file: RecordFile) -> list[SpendingRecord]:
    return file.do(lambda db, cipher: ledger.spent_since(db, DAY))


def test_reservation_counts_until_it_is_settled(file: RecordFile) -> None:
    limits = AskLimits(max_usd=1.0)
    held = reserve(file, 0.6, limits)
    with pytest.raises(OverLimit) as caught:
        reserve(file, 0.6, limits)
    settle(file, held, 0.1)
    reserve(file, 0.6, limits)

    assert caught.value.waiting, "a call of the same statement holds some of it"
    assert [(one.usd, one.questions, one.calls) for one in spent(file)] == [(0.1, 1, 1)]


def test_a_statement_that_holds_nothing_does_not_wait_for_others(file: RecordFile) -> None:
    limits = AskLimits(max_usd_per_day=1.0)
    reserve(file, 0.6, limits, "s1")
    with pytest.raises(OverLimit) as caught:
        reserve(file, 0.6, limits, "s2")

    assert not caught.value.waiting
    assert caught.value.what == "day"


def test_the_limit_of_a_day_is_that_of_all_who_share_the_file(
    file: RecordFile, tmp_path: Path
) -> None:
    other = RecordFile(tmp_path)
    try:
        settle(other, reserve(other, 0.9, AskLimits(), "other"), 0.9)
        with pytest.raises(OverLimit):
            reserve(file, 0.2, AskLimits(max_usd_per_day=1.0))
    finally:
        other.close()


def test_a_limit_can_be_used_up_to_the_last_billionth(file: RecordFile) -> None:
    limits = AskLimits(max_usd=0.3)
    for _ in range(3):
        settle(file, reserve(file, 0.1, limits), 0.1)
    with pytest.raises(OverLimit):
        reserve(file, 0.000000001, limits)


def test_a_reservation_of_a_dead_process_ends_and_counts_as_uncertain(file: RecordFile) -> None:
    reserve(file, 0.5, AskLimits(), "dead")
    with pytest.raises(OverLimit):
        reserve(file, 0.6, AskLimits(max_usd_per_day=1.0), "alive")
    later = NOW + HELD_SECONDS + 1
    with pytest.raises(OverLimit):
        reserve(file, 0.6, AskLimits(max_usd_per_day=1.0), "alive", later)
    reserve(file, 0.4, AskLimits(max_usd_per_day=1.0), "alive", later)

    assert [(one.statement, one.usd, one.uncertain_usd) for one in spent(file)] == [
        ("dead", 0.0, 0.5)
    ]


def test_a_process_that_only_slept_takes_the_doubt_back(file: RecordFile) -> None:
    held = reserve(file, 0.5, AskLimits(), "asleep")
    reserve(file, 0.1, AskLimits(), "other", NOW + HELD_SECONDS + 1)
    settle(file, held, 0.2, now=NOW + HELD_SECONDS + 2)

    assert [(one.usd, one.uncertain_usd) for one in spent(file)] == [(0.2, 0.0)]


def test_an_answer_comes_back_as_it_was_but_for_its_cost(file: RecordFile) -> None:
    reply = ModelReply(
        "ünï \ud800",
        (AnswerSource("T", "https://a.example/"),),
        True,
        Usage(calls=2),
        None,
        False,
        True,
        {"a": [1]},
        "m",
    )
    file.do(lambda db, cipher: answers.keep(db, cipher, "digest", KeptAnswer(reply, NOW, NOW + 10)))

    found = file.do(lambda db, cipher: answers.find(db, cipher, ["digest", "other"], NOW + 9))
    late = file.do(lambda db, cipher: answers.find(db, cipher, ["digest"], NOW + 10))

    assert list(found) == ["digest"]
    assert found["digest"].reply == ModelReply(
        reply.answer, reply.sources, True, Usage(), None, True, True, {"a": [1]}, "m"
    )
    assert late == {}


def test_a_damaged_answer_is_none(file: RecordFile) -> None:
    def spoil(database: Connection, cipher: Cipher) -> dict[str, KeptAnswer]:
        answers.keep(database, cipher, "digest", KeptAnswer(ModelReply("yes"), NOW, NOW + 10))
        database.execute("UPDATE ask_answers SET value = x'00'")
        return answers.find(database, cipher, ["digest"], NOW)

    assert file.do(spoil) == {}


def test_more_answers_are_found_at_once_than_sqlite_takes_parameters(file: RecordFile) -> None:
    names = [f"digest {n}" for n in range(1200)]

    def work(database: Connection, cipher: Cipher) -> int:
        for name in names:
            answers.keep(database, cipher, name, KeptAnswer(ModelReply(name), NOW, NOW + 10))
        return len(answers.find(database, cipher, names, NOW))

    assert file.do(work) == 1200


def test_group_commit_puts_what_waits_into_one_transaction_and_one_failure_fails_no_other(
    file: RecordFile,
) -> None:
    transactions: list[int] = []
    run = file.run

    async def count_and_run(work: Any) -> Any:
        transactions.append(1)
        return await run(work)

    async def work() -> list[Any]:
        file.run = count_and_run  # type: ignore[method-assign]
        commits = GroupCommit(file)

        def fail(database: Any, cipher: Any) -> None:
            raise ValueError("no")

        pieces = [commits.commit(lambda db, cipher, n=n: n) for n in range(50)]  # type: ignore[misc]
        return await asyncio.gather(*pieces, commits.commit(fail), return_exceptions=True)

    outcomes = asyncio.run(work())

    assert outcomes[:50] == list(range(50))
    assert isinstance(outcomes[50], ValueError)
    assert len(transactions) <= 2


def test_a_record_file_that_fails_fails_the_work(file: RecordFile) -> None:
    async def work() -> None:
        await GroupCommit(file).commit(
            lambda database, cipher: database.execute("SELECT * FROM nowhere")
        )

    with pytest.raises(RecordsFailure):
        asyncio.run(work())
