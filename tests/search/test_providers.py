"""What holds for every provider."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.replies import ERRORS, NAMES, recorded_json, reply, status_of
from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider
from webquarry.errors import AuthFailure, WebquarryError
from webquarry.registry import members_of
from webquarry.settings import Settings

KINDS: list[type[Provider]] = members_of("webquarry._search.providers", Provider)
KEYED = [kind for kind in KINDS if kind.credentials]
BY_NAME = {kind.name: kind for kind in KINDS}
each_provider = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
each_keyed = pytest.mark.parametrize("kind", KEYED, ids=lambda kind: kind.name)
NOWHERE = {"HOME": "/nonexistent"}


def configured(kind: type[Provider]) -> Provider:
    settings = Settings.from_environment({"SEARXNG_URL": "http://searx.example"})
    provider = kind.configure(
        settings, {wanted.variable: "canary-1234567" for wanted in kind.credentials} | NOWHERE
    )
    provider.kept_pages = NoPages()
    return provider


class NoPages:
    """A library without pages."""

    async def find(self, query: Query) -> list[Result]:
        return []


def provider_of(name: str) -> Provider:
    """The provider that a recorded reply is from, configured."""
    return configured(BY_NAME[name.partition("/")[0]])


@each_keyed
def test_a_provider_without_credentials_says_so_only_when_it_is_asked(kind: type[Provider]) -> None:
    provider = kind.configure(Settings.from_environment({}), NOWHERE)

    assert provider.missing == [wanted.variable for wanted in kind.credentials]
    assert not provider.configured
    assert provider.sources() == {}
    with pytest.raises(AuthFailure) as search:
        provider.build_request(Query("x"))
    with pytest.raises(AuthFailure) as probe:
        provider.build_probe()
    needed = f"{kind.label} needs {kind.credentials[0].variable}, which was not found."
    assert search.value.message == probe.value.message == (kind.credentials_text or needed)
    assert kind.sign_up in search.value.suggested_action
    assert kind.sign_up.startswith("https://")


@each_keyed
def test_a_value_that_cannot_be_a_key_gives_the_promised_sentence_and_never_the_value(
    kind: type[Provider],
) -> None:
    environ = {wanted.variable: "two words" for wanted in kind.credentials} | NOWHERE
    provider = kind.configure(Settings.from_environment({}), environ)

    with pytest.raises(AuthFailure) as caught:
        provider.build_request(Query("x"))

    if kind.credentials_text:
        assert caught.value.message == kind.credentials_text
    assert "holds a blank" in caught.value.message + caught.value.suggested_action
    assert "two words" not in repr(caught.value.as_dict()) + repr(provider.unusable)


@each_keyed
@pytest.mark.parametrize(
    "form",
    [
        "canary-1/23+45=",
        "canary-1%2f23%2B45%3D",
        "canary%2D1/23%2b45=",
        "Y2FuYXJ5LTEvMjMrNDU9",
        "".join(f"\\u{ord(sign):04x}" for sign in "canary-1/23+45="),
    ],
)
def test_a_key_that_comes_back_is_concealed_however_it_is_encoded(
    kind: type[Provider], form: str
) -> None:
    environ = {wanted.variable: "canary-1/23+45=" for wanted in kind.credentials} | NOWHERE

    assert (
        kind.configure(Settings.from_environment({}), environ).conceal(f"title with {form} in it")
        == "title with *** in it"
    )


@pytest.mark.parametrize("name", ERRORS)
def test_no_recorded_error_repeats_a_key_that_the_provider_put_into_it(name: str) -> None:
    provider = provider_of(name)
    body = add_to_texts(recorded_json(name), "canary-1234567")

    with pytest.raises(WebquarryError) as caught:
        provider.parse_reply(reply(body, status_of(name)))

    assert "canary" not in repr(caught.value.as_dict())


def add_to_texts(value: Any, words: str) -> Any:
    """The same JSON with these words at the end of every text that a person would read."""
    if isinstance(value, dict):
        return {name: add_to_texts(part, words) for name, part in value.items()}
    if isinstance(value, list):
        return [add_to_texts(part, words) for part in value]
    return f"{value} {words}" if isinstance(value, str) and " " in value else value


RECORDED = [name for name in NAMES if name.endswith(".json")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=10), part, max_size=3)
    ),
    max_leaves=5,
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, part in parts:
        yield from _places(part, (*path, name))


@given(st.data())
def test_fuzz_a_reply_with_anything_in_the_place_of_anything_gives_results_or_an_error_of_ours(
    data: st.DataObject,
) -> None:
    name = data.draw(st.sampled_from(RECORDED))
    body = copy.deepcopy(recorded_json(name))
    *above, last = data.draw(st.sampled_from(list(_places(body))[1:]))
    place = body
    for step in above:
        place = place[step]
    place[last] = data.draw(JSON)
    provider = provider_of(name)

    try:
        batch = provider.parse_reply(
            reply(body, data.draw(st.sampled_from([200, 400, 403, 422, 429, 500])))
        )
    except WebquarryError:
        return
    assert all(isinstance(hit.title, str) and isinstance(hit.url, str) for hit in batch.results)
