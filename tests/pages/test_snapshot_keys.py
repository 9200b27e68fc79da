"""The page that `scrape_page` keeps: its key holds whatever decides what is read, and every
argument affects an answer also when the page is kept. Each is flipped, also one added later.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.tools.pages import ARTICLE, URL, Session, page
from webquarry.errors import WebquarryError
from webquarry.store.cache import Cache, CachedValue, Made
from webquarry.tools import load
from webquarry.tools.research._search import NOT_IN_KEY

PROPERTIES = load("research", "scrape_page").parameters["properties"]
LINKED = ARTICLE.replace("The pilot", '<a href="/pilot">The pilot</a>', 1)
SETTINGS = {
    "youtube_languages": "de",
    "youtube_clients": "ONE/1",
    "WEBQUARRY_YOUTUBE_URL": "http://127.0.0.1:1",
    "WEBQUARRY_HACKERNEWS_URL": "http://127.0.0.1:1",
    "WEBQUARRY_HACKERNEWS_FIREBASE_URL": "http://127.0.0.1:1",
    "WEBQUARRY_CROSSREF_URL": "http://127.0.0.1:1",
    "WEBQUARRY_ROBOTS": "0",
    "WEBQUARRY_ALLOW_PRIVATE": "1",
    "WEBQUARRY_ALLOW_NETWORKS": "10.0.0.0/8",
    "cache_read_seconds": "60",
    "WEBQUARRY_RENDER": "0",
    "WEBQUARRY_EXA_CONTENTS": "1",
    "reddit": "1",
}


def keys_of(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str] | None = None, **arguments: Any
) -> list[str]:
    """The keys under which a call looks for the snapshot of its page."""
    keys = []
    real = Cache.get_or_make

    async def get_or_make(
        self: Cache, key: str, make: Callable[[], Awaitable[Made]], **how: Any
    ) -> CachedValue:
        keys.append(key)
        return await real(self, key, make, **how)

    with monkeypatch.context() as patch, suppress(WebquarryError):
        patch.setattr(Cache, "get_or_make", get_or_make)
        patch.setattr("webquarry.tool.record_call", lambda *call: call[-1]())  # there is no session
        Session(page().web, environ=environ).scrape(**{"url": URL} | arguments)
    return keys


def flipped(name: str) -> Any:
    schema = PROPERTIES[name]
    if name == "unchanged":
        return "short"
    if "enum" in schema:
        return next(value for value in schema["enum"] if value != schema.get("default"))
    kinds = {
        "integer": 77,
        "boolean": True,
        "string": "https://other.example/" if name == "url" else "another",
    }
    return kinds[schema["type"]]


def outcome(session: Session, **arguments: Any) -> Any:
    try:
        return session.scrape(**{"url": URL} | arguments).as_dict()
    except WebquarryError as error:
        return error.as_dict()


@pytest.mark.parametrize("name", PROPERTIES)
def test_arguments_change_answers_of_cached_pages(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("webquarry.tool.record_call", lambda *call: call[-1]())  # no session
    session = page(LINKED)
    before, again = outcome(session), outcome(session)
    after = outcome(session, **{name: flipped(name)})

    assert before == again
    assert (before == after) is (name in NOT_IN_KEY)


@pytest.mark.parametrize("name", PROPERTIES)
def test_arguments_that_affect_reading_change_the_key(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before, after = keys_of(monkeypatch), keys_of(monkeypatch, **{name: flipped(name)})

    assert len(before) == 1
    assert (before != after) is (name in ("url", "render"))


@pytest.mark.parametrize("variable", SETTINGS)
def test_settings_that_affect_reading_change_the_key(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    before, after = keys_of(monkeypatch), keys_of(monkeypatch, {variable: SETTINGS[variable]})

    assert len(before) == 1
    assert not set(before) & set(after)
