"""The contract of every patent service, with every recorded reply; and what each is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.net.doubles import FakeClock
from tests.search.patents.recorded import (
    FOLDER,
    KEYS,
    NAMES,
    body_of,
    recorded,
    reply,
)
from tests.search.patents.registers import FULL, NOWHERE, epo, lens
from tests.search.replies import outcome_of, status_of
from webquarry._search.patents.provider import PatentProvider
from webquarry.errors import OUTCOMES, AuthFailure, RateLimited, WebquarryError
from webquarry.registry import members_of
from webquarry.settings import Settings

KINDS: list[type[PatentProvider]] = members_of(
    "webquarry._search.patents.providers", PatentProvider
)
each_service = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
each_reply = pytest.mark.parametrize("name", NAMES)


def service(name: str) -> PatentProvider:
    (kind,) = [kind for kind in KINDS if kind.name == name.partition("/")[0]]
    return kind.configure(Settings(), KEYS | NOWHERE)


def outcome(name: str) -> str:
    try:
        return "ok" if service(name).parse_reply(recorded(name)) else "empty"
    except WebquarryError as error:
        return error.kind


@contextmanager
def suppress_ours() -> Iterator[list[dict[str, Any]]]:
    """What our own error said, if there was one."""
    said: list[dict[str, Any]] = []
    try:
        yield said
    except WebquarryError as error:
        said.append(error.as_dict())


def test_every_service_has_recorded_answers_and_errors() -> None:
    for kind in KINDS:
        outcomes = {outcome_of(name) for name in NAMES if name.startswith(f"{kind.name}/")}
        assert {"ok", "empty", "auth", "bad_input", "rate_limited", "network"} <= outcomes


@each_reply
def test_every_recorded_reply_has_the_outcome_in_its_name(name: str) -> None:
    assert outcome(name) == outcome_of(name)
    assert outcome(name) in OUTCOMES


@each_reply
def test_no_error_repeats_a_key_that_the_service_put_into_it(name: str) -> None:
    for canary in KEYS.values():
        body = body_of(name).replace(b" ", f" {canary} ".encode(), 40)
        with suppress_ours() as said:
            service(name).parse_reply(reply(body, status_of(name)))
        assert canary not in repr(said)


@each_service
@given(st.data())
def test_fuzz_a_damaged_reply_gives_patents_or_an_error_of_ours(
    kind: type[PatentProvider], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([name for name in NAMES if name.startswith(f"{kind.name}/")]))
    body = bytearray(body_of(name))
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(body)))
        body[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=10))
    try:
        found = service(kind.name).parse_reply(
            reply(bytes(body), data.draw(st.sampled_from([200, 404, 403, 500])))
        )
    except WebquarryError:
        return
    assert all(patent.title and patent.number.google for patent in found)


@each_service
def test_a_service_without_credentials_says_so_only_when_it_is_asked(
    kind: type[PatentProvider],
) -> None:
    bare = kind.configure(Settings(), NOWHERE)

    assert bare.missing == [wanted.variable for wanted in kind.credentials]
    for ask in (bare.build_probe, lambda: bare.build_search(FULL)):
        with pytest.raises(AuthFailure, match="which was not found"):
            ask()


def test_a_recorded_document_of_the_epo_becomes_a_patent() -> None:
    (patent,) = epo().parse_reply(recorded("epo/ok_200.xml"))

    assert patent.number.google == "EP3456789A1"
    assert patent.title == "TIDAL TURBINE WITH FOLDING BLADES"
    assert patent.abstract == "A turbine folds its blades at slack water."
    assert (patent.assignees, patent.inventors) == (("Tideworks Limited",), ("Lindqvist, Per",))
    assert (patent.filed, patent.published, patent.granted) == ("2017-09-07", "2019-03-20", None)
    assert (patent.status, patent.cpc, patent.provider) == ("application", ("F03B13/264",), "epo")
    assert patent.url == "https://patents.google.com/patent/EP3456789A1/en"


def test_a_recorded_record_of_the_lens_becomes_a_patent() -> None:
    (patent,) = lens().parse_reply(recorded("lens/ok_200.json"))

    assert patent.number.google == "US10999999B2"
    assert (patent.title, patent.abstract) == (
        "Tidal turbine with folding blades",
        "A turbine folds its blades at slack water.",
    )
    assert (patent.assignees, patent.inventors) == (("TIDEWORKS LTD",), ("LINDQVIST PER",))
    assert (patent.filed, patent.published, patent.granted) == (
        "2018-09-06",
        "2021-05-04",
        "2021-05-04",
    )
    assert (patent.status, patent.cpc) == ("active", ("F03B13/264", "F05B2220/32"))


def test_token_expires_early_and_is_never_printed() -> None:
    register = epo()
    register.clock = clock = FakeClock()
    register.parse_probe(reply(body_of("epo/login_200.json")))
    sent = []
    for seconds in (0, 1138, 2):
        clock.seconds += seconds
        sent.append(register.build_search(FULL))

    assert [request.url.path.endswith("/accesstoken") for request in sent] == [False, False, True]
    assert sent[0].headers["Authorization"] == "Bearer FAKETOKEN0000000000000000000"
    assert "FAKETOKEN" not in repr(vars(register))


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, b"{}", "auth"),
        (400, b'{"error":"invalid_client"}', "auth"),
        (200, b"{}", "network"),
        (200, b'{"access_token":"two words"}', "network"),
        (503, b"", "network"),
    ],
)
def test_a_login_that_gives_no_token_is_an_error(status: int, body: bytes, kind: str) -> None:
    with pytest.raises(WebquarryError) as caught:
        epo().parse_probe(reply(body, status))
    assert caught.value.kind == kind


def headers_of(text: str) -> dict[str, str]:
    lines = [line.split(": ", 1) for line in text.splitlines()[1:] if ": " in line]
    return {name.lower().replace("-", "_"): value for name, value in lines}


@pytest.mark.parametrize(
    ("light", "path", "rest"),
    [
        ("green:15", "search", 0.0),
        ("yellow:10", "search", 6.0),
        ("red:5", "search", 12.0),
        ("black:0", "search", 60.0),
        ("black:0", "publication", 0.0),
    ],
)
def test_the_traffic_light_of_the_epo_says_how_long_to_pause(
    light: str, path: str, rest: float
) -> None:
    headers = headers_of((FOLDER / "epo" / "headers.txt").read_text("utf-8"))
    headers["x_throttling_control"] = headers["x_throttling_control"].replace(
        "search=green:15", f"search={light}"
    )

    assert (
        epo().rest_after(
            reply(b"", 200, f"https://ops.epo.org/3.2/rest-services/{path}/x", **headers)
        )
        == rest
    )


@pytest.mark.parametrize(
    ("reason", "seconds", "retryable"),
    [
        ("IndividualQuotaPerHour", 3600, True),
        ("AnonymousQuotaPerMinute", 60, True),
        ("RegisteredQuotaPerWeek", None, False),
    ],
)
def test_a_used_up_quota_of_the_epo_says_when_to_come_again(
    reason: str, seconds: float | None, retryable: bool
) -> None:
    with pytest.raises(RateLimited) as caught:
        epo().parse_reply(recorded("epo/rate_limited_403.xml", x_rejection_reason=reason))

    assert (caught.value.retry_after_seconds, caught.value.retryable) == (seconds, retryable)


def test_the_limits_of_the_lens_are_those_of_its_headers() -> None:
    with pytest.raises(RateLimited) as minute:
        lens().parse_reply(
            recorded("lens/rate_limited_429.json", x_rate_limit_retry_after_seconds="17")
        )
    with pytest.raises(RateLimited) as month:
        lens().parse_reply(
            recorded("lens/rate_limited_429.json", x_rate_limit_remaining_request_per_month="0")
        )

    assert (minute.value.retry_after_seconds, minute.value.retryable) == (17, True)
    assert month.value.retryable is False
