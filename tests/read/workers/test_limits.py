"""Resource limits of worker processes."""

from __future__ import annotations

import pytest

from webquarry._read.workers import limits
from webquarry._read.workers.limits import JobMeter


def test_cpu_limit_is_raised_by_the_time_that_earlier_jobs_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = [0.2, 0.4, 3.1]
    given: list[int] = []
    monkeypatch.setattr("time.process_time", lambda: 0.1)
    monkeypatch.setattr(limits, "limit_cpu", given.append)
    monkeypatch.setattr(limits, "measure_use", lambda: (used.pop(0), 1000))
    meter = JobMeter()
    for _ in range(3):
        meter.limit_next(20)
        assert meter.measure_memory() == 1000
    meter.limit_next(20)
    assert given == [21, 24]


def test_cpu_limit_is_lowered_for_a_job_with_less_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    monkeypatch.setattr("time.process_time", lambda: 0.1)
    monkeypatch.setattr(limits, "limit_cpu", given.append)
    meter = JobMeter()
    meter.limit_next(20)
    meter.limit_next(5)
    assert given == [21, 6]
