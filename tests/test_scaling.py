"""`bench/scaling.py` names what grows faster than its input, and only that."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("scaling")


def measure_as(bench: Any, monkeypatch: pytest.MonkeyPatch, growth: Any) -> Any:
    """The judgement on a step whose time is a function of the size."""
    shape = bench.Shape("invented", lambda size: size, lambda given: None)
    monkeypatch.setattr(bench, "time_once", lambda _, size: growth(size))
    return bench.judge(shape, 0.03)


def test_a_step_whose_time_doubles_with_its_input_passes(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    growth = measure_as(bench, monkeypatch, lambda size: 0.004 + 1e-6 * size)

    assert growth.seconds >= 0.03
    assert growth.factor == pytest.approx(2, abs=0.05)


def test_a_step_that_takes_the_square_of_its_input_fails(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    growth = measure_as(bench, monkeypatch, lambda size: 0.004 + 1e-8 * size * size)

    assert growth.factor > bench.MOST_GROWTH


def test_what_looks_too_fast_once_is_measured_again_at_a_larger_size(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that was busy for a moment."""
    sizes: list[int] = []

    def time_once(size: int) -> float:
        sizes.append(size)
        is_busy = size == 64_000 and sizes.count(64_000) <= 4
        return 1e-6 * size * (2 if is_busy else 1)

    growth = measure_as(bench, monkeypatch, time_once)

    assert growth.factor <= bench.MOST_GROWTH
    assert growth.size == 64_000


def test_the_chosen_shapes_are_of_every_kind_and_have_names_of_their_own(bench: Any) -> None:
    everything = bench.catalogue.list_shapes(everything=True)
    chosen = bench.catalogue.list_shapes(everything=False)
    names = [shape.name for shape in everything]

    assert len(set(names)) == len(names)
    assert len(chosen) >= 70
    for kind in ("in pre", "nested", "css:", "markdown:", "rss:", "robots:", "JSON-LD:", "table"):
        assert any(kind in shape.name for shape in chosen), kind


def test_every_change_is_measured() -> None:
    script = (BENCH.parent / ".ci" / "run").read_text("utf-8")

    assert re.search(r"^\.venv/bin/python bench/scaling\.py$", script, re.MULTILINE)


def test_one_step_in_the_time_is_no_growth(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is handed out anew for each large input costs twice that of small ones."""

    def time_once(size: int) -> float:
        return 1e-7 * size * (2 if size > 512_000 else 1)

    growth = measure_as(bench, monkeypatch, time_once)

    assert growth.factor <= bench.MOST_GROWTH
