"""Resource limits of worker processes."""

from __future__ import annotations

import resource

import pytest

from webquarry._read.workers import child


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[int, int]]]:
    """Limits that were set; the process has used 3.1 seconds, and its limit is 21."""
    found: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr("time.process_time", lambda: 3.1)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (21, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: found.append(limit))
    return found


def test_cpu_limit_is_raised_by_the_time_that_earlier_jobs_used(
    limits: list[tuple[int, tuple[int, int]]],
) -> None:
    child.limit_cpu(20)

    assert limits == [(resource.RLIMIT_CPU, (24, resource.RLIM_INFINITY))]


def test_cpu_limit_is_lowered_for_a_job_with_less_time(
    limits: list[tuple[int, tuple[int, int]]],
) -> None:
    child.limit_cpu(5)

    assert limits == [(resource.RLIMIT_CPU, (9, resource.RLIM_INFINITY))]


def test_unchanged_cpu_limit_is_not_set_again(
    limits: list[tuple[int, tuple[int, int]]],
) -> None:
    child.limit_cpu(17.5)

    assert limits == []
