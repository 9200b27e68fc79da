"""What is loaded to stay is not looked through for unused objects while it is loaded."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from webquarry.memory import load_to_stay


@pytest.fixture
def collected() -> Iterator[list[int]]:
    """The generations that were looked through, of a collector that looks all the time."""
    generations: list[int] = []

    def note(phase: str, info: dict[str, Any]) -> None:
        if phase == "stop":
            generations.append(info["generation"])

    usual = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(1, 1, 1)
    try:
        yield generations
    finally:
        gc.set_threshold(*usual)
        gc.callbacks.remove(note)
        gc.unfreeze()


def make_objects() -> list[dict[str, Any]]:
    return [{"own": []} for _ in range(1_000)]


def test_two_that_load_at_once_wait_for_each_other_with_the_search(collected: list[int]) -> None:
    first_is_loading, first_may_end = threading.Event(), threading.Event()

    def load_first() -> None:
        with load_to_stay():
            first_is_loading.set()
            first_may_end.wait()

    first = threading.Thread(target=load_first)
    first.start()
    first_is_loading.wait()
    with load_to_stay():
        first_may_end.set()
        first.join()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off(collected: list[int]) -> None:
    gc.disable()
    try:
        with load_to_stay():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
