"""Large pages in `search_and_scrape`: one in work at a time, nothing of them kept that is not
given, the same answer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.tools.research.searched_web import Desk, SearchedWeb, article, desk, url
from webquarry._read import reply as reply_module
from webquarry.pages import score
from webquarry.pages.score import score_page

SHARED = (
    "The same words about tidal energy and its storage stand on every page that anybody has "
    "written about it."
)


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webquarry._read.workers.job.LARGE", 1)


class Watch:
    """Counts how many calls of functions are under way at once."""

    def __init__(self) -> None:
        self.most = self.calls = 0
        self._under_way = 0
        self._lock = threading.Lock()

    def on(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            with self._lock:
                self.calls += 1
                self._under_way += 1
                self.most = max(self.most, self._under_way)
            try:
                return function(*arguments)
            finally:
                with self._lock:
                    self._under_way -= 1

        return watched


@pytest.mark.usefixtures("all_large")
def test_ten_large_pages_are_read_and_judged_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    monkeypatch.setattr(reply_module, "read_reply", watch.on(reply_module.read_reply))
    monkeypatch.setattr(score, "score_page", watch.on(score_page))

    answer = desk(*range(1, 11)).call(num_results=10)

    assert len(answer.pages) == 10
    assert (watch.calls, watch.most) == (20, 1)


@pytest.mark.usefixtures("all_large")
def test_a_large_page_is_judged_before_all_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that those which are done when the time is over are in the answer."""
    done: list[str] = []

    def noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            done.append(name)
            return function(*arguments)

        return noted

    monkeypatch.setattr(reply_module, "read_reply", noting("read", reply_module.read_reply))
    monkeypatch.setattr(score, "score_page", noting("judged", score_page))
    desk(*range(1, 11)).call(num_results=10)

    assert done.count("read") == done.count("judged") == 10
    assert done.index("judged") < 9


@pytest.mark.parametrize(
    "arguments", [{}, {"filter_by_query": True}, {"deduplicate": False}, {"claim": SHARED}]
)
def test_large_page_has_the_same_answer_as_a_small_one(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call() -> str:
        pages = {url(number): article(number, SHARED, count=40) for number in range(1, 5)}
        return json.dumps(
            Desk(SearchedWeb(pages))
            .call(num_results=4, max_length_per_source=2_000, **arguments)
            .as_dict()
        )

    small = call()
    monkeypatch.setattr("webquarry._read.workers.job.LARGE", 1)

    assert call() == small
