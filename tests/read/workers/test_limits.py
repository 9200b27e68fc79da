"""What a process that reads pages asks of the system, job by job."""

from __future__ import annotations

import pytest

from webquarry.read.workers import limits
from webquarry.read.workers.limits import JobMeter


def test_the_processor_is_limited_anew_when_a_job_has_used_some_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = [0.2, 0.4, 3.1]
    given: list[int] = []
    monkeypatch.setattr("time.process_time", lambda: 0.1)
    monkeypatch.setattr(limits, "limit_processor", given.append)
    monkeypatch.setattr(limits, "measure_use", lambda: (used.pop(0), 1000))
    meter = JobMeter()
    for _ in range(3):
        meter.limit_next(20)
        assert meter.measure_memory() == 1000
    meter.limit_next(20)
    assert given == [21, 24]


def test_a_job_with_less_time_than_the_one_before_gets_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    monkeypatch.setattr("time.process_time", lambda: 0.1)
    monkeypatch.setattr(limits, "limit_processor", given.append)
    meter = JobMeter()
    meter.limit_next(20)
    meter.limit_next(5)
    assert given == [21, 6]
