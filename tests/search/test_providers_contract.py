"""The contract of every provider, with every recorded reply: results are clean, "nothing" is an
answer, errors have a kind.

A provider joins by its name in the registry and a folder of replies; a reply joins by its name.
"""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from tests.search.replies import (
    NAMES,
    is_answer,
    outcome_of,
    recorded,
    recorded_json,
    recorded_reply,
    reply,
)
from tests.search.test_providers import (
    BY_NAME,
    configured,
    each_keyed,
    each_provider,
    provider_of,
)
from tests.search.wrong_shapes import put_wrong_hits
from webquarry._search.domains import host_of
from webquarry._search.models import Batch, Query
from webquarry._search.provider import Provider
from webquarry._search.text import plain
from webquarry.errors import Challenge, WebquarryError
from webquarry.secret import redact

MARKUP = re.compile(
    r"</?(?:b|strong|span|em|a|p)\b|&(?:amp|lt|gt|quot|nbsp|#\d+|#x[0-9a-f]+);", re.IGNORECASE
)
with_results = pytest.mark.parametrize("name", [name for name in NAMES if outcome_of(name) == "ok"])
FILTERS = {
    "allowed_domains", "blocked_domains", "time_range", "safe",
    "language", "country", "exact_terms", "exclude_terms",
}  # fmt: skip


def parsed(name: str) -> Batch:
    return provider_of(name).parse_reply(recorded_reply(name))


def outcome(name: str) -> str:
    try:
        return "ok" if parsed(name).results else "empty"
    except WebquarryError as error:
        return error.kind


def test_every_provider_has_recorded_answers_and_errors() -> None:
    """Only those of a folder that is no provider's, and only by name, are not replies of one."""
    assert {name.partition("/")[0] for name in NAMES} == set(BY_NAME)
    for provider in BY_NAME:
        outcomes = {outcome_of(name) for name in NAMES if name.startswith(f"{provider}/")}
        assert "ok" in outcomes, provider
        assert outcomes - {"ok", "empty"}, provider


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_reply_has_the_outcome_in_its_name(name: str) -> None:
    assert outcome(name) == outcome_of(name)


@with_results
def test_urls_are_absolute_and_lead_to_the_page_itself(name: str) -> None:
    for hit in parsed(name).results:
        host = host_of(hit.url)
        assert host
        assert host != "duckduckgo.com"
        assert not host.endswith(".duckduckgo.com")
        assert "uddg=" not in hit.url
        assert "y.js" not in hit.url


@with_results
def test_titles_and_snippets_are_plain_text_in_one_line(name: str) -> None:
    for hit in parsed(name).results:
        assert hit.title
        assert plain(hit.title) == hit.title
        assert plain(hit.snippet) == hit.snippet
        assert not MARKUP.search(hit.title + hit.snippet)
        assert hit.provider == name.partition("/")[0]


@pytest.mark.parametrize(
    "name", [name for name in NAMES if is_answer(name) and name.endswith(".json")]
)
@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_half_an_answer_is_never_an_answer(name: str, kept: float) -> None:
    body = recorded(name).rstrip()

    with pytest.raises(WebquarryError):
        provider_of(name).parse_reply(reply(body[: int(len(body) * kept)]))


@with_results
@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 429, 500, 502, 503])
def test_results_behind_a_status_of_failure_are_no_results(name: str, status: int) -> None:
    answered = recorded_reply(name)

    with pytest.raises(WebquarryError):
        provider_of(name).parse_reply(reply(answered.body, status, dict(answered.headers)))


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("/ok_200.json")])
def test_something_else_in_the_place_of_the_hits_is_never_no_results(name: str) -> None:
    provider = provider_of(name)
    good = recorded_json(name)

    for wrong, body in put_wrong_hits(
        good, lambda body: len(provider.parse_reply(reply(body)).results)
    ):
        with pytest.raises(WebquarryError) as caught:
            provider.parse_reply(reply(body))
        assert caught.value.kind == "network", wrong


@each_provider
@pytest.mark.parametrize("status", [200, 403, 429, 503])
def test_a_page_with_a_captcha_is_a_challenge_whatever_the_status(
    kind: type[Provider], status: int
) -> None:
    page = (
        b"<!DOCTYPE html><title>Just a moment...</title>"
        b'<script src="/cdn-cgi/challenge-platform/x"></script>'
    )
    with pytest.raises(Challenge):
        configured(kind).parse_reply(reply(page, status, {"content-type": "text/html"}))


@each_keyed
def test_key_is_sent_in_a_header_and_never_in_a_url_or_a_body(kind: type[Provider]) -> None:
    """In a URL only where the service takes it nowhere else, by a name that is masked."""
    provider = configured(kind)
    secret = "canary-1234567"
    public = [wanted for wanted in kind.credentials if not wanted.secret]
    for request in (provider.build_request(Query("x")), provider.build_probe()):
        url, body = str(request.url), request.read().decode()
        assert (secret in str(request.headers.raw)) is not kind.key_in_url
        if kind.key_in_url:
            assert secret in url
            url = redact(url)
        assert (url + body).count(secret) == len(public)


@each_provider
def test_what_a_provider_calls_native_are_filters_and_really_change_the_request(
    kind: type[Provider],
) -> None:
    provider = configured(kind)
    asked = {
        "allowed_domains": ("a.org",),
        "blocked_domains": ("b.org",),
        "time_range": "week",
        "safe": "off",
        "language": "de",
        "country": "DE",
        "exact_terms": "pitch seal",
        "exclude_terms": "forum",
    }
    bare = provider.build_request(Query("x"))

    assert kind.native <= FILTERS <= {field.name for field in fields(Query)}
    for name in kind.native - {"country"}:
        query = Query("x", **{name: asked[name]})  # type: ignore[arg-type]
        request = provider.build_request(query)
        assert (str(request.url), request.read()) != (str(bare.url), bare.read()), name
    german, austrian = (
        provider.build_request(Query("x", language="de", country=code)) for code in ("DE", "AT")
    )
    same = (str(german.url), german.read()) == (str(austrian.url), austrian.read())
    assert same is ("country" not in kind.native)
    assert (
        provider.applied(
            Query("x", language="de", country="DE", exact_terms="a", exclude_terms="b")
        )
        == kind.native
    )
