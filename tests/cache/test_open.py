"""Where the cache is, and how fresh its answers are."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from webquarry.clock import Clock
from webquarry.settings import Settings
from webquarry.store.cache import freshness
from webquarry.store.open import find_cache_folder, open_cache


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h"}, "/h/.cache/webquarry"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/webquarry"),
        (
            {"HOME": "/h", "XDG_CACHE_HOME": "relative"},
            "/h/.cache/webquarry",
        ),  # the standard says to pass it over
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x", "WEBQUARRY_CACHE_FOLDER": "/own"}, "/own"),
    ],
)
def test_the_folder_is_the_users_choice_or_the_usual_one(
    environ: dict[str, str], folder: str
) -> None:
    assert find_cache_folder(Settings.from_environment(environ), environ) == Path(folder)


def test_without_a_home_the_cache_is_in_memory_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    with caplog.at_level(logging.WARNING, "webquarry"):
        stores = open_cache(Settings(), {}, Clock())._stores

    assert [type(store).__name__ for store in stores] == ["MemoryStore"]
    assert "memory only" in caplog.text


@pytest.mark.parametrize(
    ("cached", "age", "word"),
    [(False, 0, "live"), (True, 0, "fresh"), (True, 899, "fresh"), (True, 900, "aging")],
)
def test_freshness_is_one_word_and_the_numbers_behind_it(
    cached: bool, age: float, word: str
) -> None:
    assert freshness(cached, age, 1800) == {
        "cached": cached,
        "ageSeconds": age,
        "maxAgeSeconds": 1800,
        "freshness": word,
    }
