"""Where a statement ends, and what Ctrl-C reaches."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from tests.model_servers import FakeServers
from webquarry.errors import Cancelled
from webquarry.sql import Session
from webquarry.sql.instance import Watcher
from webquarry.sql.statements import Scope, Statements


class Hand:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_mark_is_a_statement() -> None:
    statements = Statements()
    with (
        statements.enter((1, 7)) as one,
        statements.enter((1, 7)) as same,
        statements.enter((1, 8)) as next_one,
    ):
        assert one is same
        assert one is not next_one


def test_without_a_mark_calls_within_a_second_are_one_statement() -> None:
    hand = Hand()
    statements = Statements(hand)
    seen: list[Scope] = []
    for moment in (0.0, 0.9, 1.8, 2.9):
        hand.now = moment
        with statements.enter(None) as scope:
            seen.append(scope)

    assert seen[0] is seen[1] is seen[2]
    assert seen[3] is not seen[2]


def test_without_a_mark_a_call_that_runs_keeps_its_statement_open() -> None:
    hand = Hand()
    statements = Statements(hand)
    with statements.enter(None) as long:
        hand.now = 60.0
        with statements.enter(None) as other:
            assert other is long


def test_cancelled_statement_is_over_soon() -> None:
    hand = Hand()
    statements = Statements(hand)
    with statements.enter(None) as first:
        statements.interrupt()
    with statements.enter(None) as straggler:
        assert straggler is first
        assert straggler.cancelled
    hand.now = 0.3
    with statements.enter(None) as later:
        assert later is not first


def test_pinned_connection_is_one_statement() -> None:
    statements = Statements()
    with statements.pin(4) as pinned:
        for mark in ((4, 1), (4, 2), None):
            with statements.enter(mark) as scope:
                assert scope is pinned
        with statements.enter((5, 1)) as other:
            assert other is not pinned


@pytest.fixture
def descriptor() -> Iterator[tuple[int, int]]:
    """An earlier wakeup descriptor."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    yield reading, writing
    signal.set_wakeup_fd(before)
    os.close(reading)
    os.close(writing)


def test_ctrl_c_reaches_the_work_and_an_earlier_descriptor(descriptor: tuple[int, int]) -> None:
    reading, writing = descriptor
    watcher, stopped = Watcher(), threading.Event()
    watcher.watch(stopped.set)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert stopped.wait(30)
    assert os.read(reading, 9) == bytes([signal.SIGINT])

    watcher.forget(stopped.set)

    assert signal.set_wakeup_fd(writing) == writing
    assert not any(
        thread.name == "webquarry-interrupts" and thread is watcher._thread
        for thread in threading.enumerate()
    )


def test_tool_that_takes_long_is_cut_off(session: Session, servers: FakeServers) -> None:
    servers.search_latency = 60.0

    with pytest.raises(Cancelled):
        session.sql("SELECT web_search('otters')", timeout=0.3)
    assert session.sql("SELECT 1").rows == [(1,)]


def test_looking_at_a_plan_runs_nothing(session: Session, servers: FakeServers) -> None:
    """EXPLAIN covers only the first of several statements."""
    session.sql("CREATE TABLE t (x INTEGER)")
    with pytest.raises(Exception, match="nowhere"):
        session.sql("SELECT ask(x, 'q') FROM nowhere; DROP TABLE t")

    assert session.sql("SELECT count(*) FROM t").rows == [(0,)]
