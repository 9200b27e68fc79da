"""Tokens of an issuer: only its own, only for us, only in time, only with its keys."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest

from tests.surfaces.server.issuer import Issuer, issuing
from webquarry.clock import Clock
from webquarry.settings import Settings
from webquarry.surfaces.server.oauth import OAuthVerifier
from webquarry.surfaces.server.principal import AccessDenied, Principal, VerifierUnavailable

AUDIENCE = "https://quarry.example.org/mcp"


class MovedClock(Clock):
    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as found:
        yield found


def verify(issuer: Issuer, *tokens: str, clock: MovedClock | None = None) -> list[Principal]:
    async def run() -> list[Principal]:
        verifier = OAuthVerifier(issuer.url, AUDIENCE, Settings(), clock or MovedClock())
        try:
            return [await verifier.verify(token) for token in tokens]
        finally:
            await verifier.aclose()

    return asyncio.run(run())


def test_a_good_token_speaks_for_its_subject(issuer: Issuer) -> None:
    (found,) = verify(issuer, issuer.token(scope="read search"))

    assert found.name == "ada"
    assert issuer.url in found.id
    assert found.scopes == {"read", "search"}


def test_scopes_may_come_as_a_list_and_a_client_may_speak_for_itself(issuer: Issuer) -> None:
    (found,) = verify(issuer, issuer.token(sub=None, client_id="robot", scp=["read"]))

    assert (found.name, found.scopes) == ("robot", frozenset({"read"}))


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"aud": "https://other.example.org/mcp"}, "another server"),
        ({"aud": None}, "exp, iss or aud"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "exp, iss or aud"),
        ({"nbf": 2_000_000_000_0}, "not good yet"),
        ({"sub": None}, "for whom"),
    ],
)
def test_a_token_that_is_not_for_us_now_is_denied(
    issuer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    with pytest.raises(AccessDenied, match=reason):
        verify(issuer, issuer.token(**claims))


def test_a_token_signed_by_somebody_else_is_denied(issuer: Issuer) -> None:
    issuer.rotate("theirs", publish=False)
    forged = jwt.encode(
        jwt.decode(issuer.token(), options={"verify_signature": False}),
        issuer.keys["theirs"],
        algorithm="RS256",
        headers={"kid": "first"},
    )

    with pytest.raises(AccessDenied, match="signature"):
        verify(issuer, forged)


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "a.b", "x" * 20_000])
def test_what_is_no_jwt_is_denied_without_asking_the_issuer(issuer: Issuer, token: str) -> None:
    with pytest.raises(AccessDenied, match="no JWT"):
        verify(issuer, token)

    assert issuer.asked == []


def test_no_signature_and_a_shared_secret_are_no_signatures_for_us(issuer: Issuer) -> None:
    claims = {"iss": issuer.url, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}
    for token in (
        jwt.encode(claims, "", algorithm="none"),
        jwt.encode(
            claims,
            "a secret that is long enough for this",
            algorithm="HS256",
            headers={"kid": "first"},
        ),
    ):
        with pytest.raises(AccessDenied, match="not accepted"):
            verify(issuer, token)


def test_an_elliptic_key_is_as_good(issuer: Issuer) -> None:
    issuer.elliptic("curve")

    assert verify(issuer, issuer.token("curve", "ES256"))[0].name == "ada"


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256", "PS384"])
def test_a_key_without_an_algorithm_is_good_for_all_that_fit_it(
    issuer: Issuer, algorithm: str
) -> None:
    assert verify(issuer, issuer.token(algorithm=algorithm))


def test_a_key_is_good_only_for_the_algorithm_that_the_issuer_gives_it(issuer: Issuer) -> None:
    issuer.more["first"] = {"alg": "RS256"}

    assert verify(issuer, issuer.token(algorithm="RS256"))
    with pytest.raises(AccessDenied, match="does not publish"):
        verify(issuer, issuer.token(algorithm="PS256"))


def test_a_key_for_encryption_signs_nothing(issuer: Issuer) -> None:
    issuer.rotate("second")
    issuer.published = ["first", "second"]
    issuer.more["first"] = {"use": "enc"}

    assert verify(issuer, issuer.token("second"))
    with pytest.raises(AccessDenied, match="does not publish"):
        verify(issuer, issuer.token("first"))


ODD: list[Any] = [
    5,
    {},
    {"kty": "AKP", "alg": "ML-DSA-44", "kid": "odd"},
    {"kty": "EC", "crv": ["P-256"], "kid": "odd"},
    {"kty": "EC", "crv": "P-256", "kid": "odd"},
    {"kty": "RSA", "n": "!!!", "e": None, "kid": "odd"},
    {"kty": "oct", "k": "c2VjcmV0", "kid": "odd", "alg": "HS256"},
]


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_key_does_not_spoil_the_others(issuer: Issuer, odd: Any) -> None:
    issuer.odd = [odd]

    assert verify(issuer, issuer.token())
    with pytest.raises(AccessDenied):
        verify(issuer, issuer.token(kid="odd"))


def test_two_keys_of_one_name_are_told_apart_by_their_kind(issuer: Issuer) -> None:
    issuer.elliptic("other")
    issuer.more["other"] = {"kid": "first"}

    assert verify(issuer, issuer.token(), issuer.token("other", "ES256", kid="first"))


@pytest.mark.parametrize(
    "header", [{"crit": ["nobody"], "nobody": 1}, {"b64": False, "crit": ["b64"]}]
)
def test_what_a_token_calls_critical_and_we_do_not_know_is_denied(
    issuer: Issuer, header: dict[str, Any]
) -> None:
    head, _, rest = issuer.token().partition(".")
    told = json.loads(base64.urlsafe_b64decode(head + "==")) | header
    forged = base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")

    with pytest.raises(AccessDenied, match="no JWT"):
        verify(issuer, f"{forged}.{rest}")


def test_keys_that_a_token_brings_along_are_not_looked_at(issuer: Issuer) -> None:
    issuer.rotate("mine", publish=False)
    own = jwt.algorithms.RSAAlgorithm.to_jwk(issuer.keys["mine"].public_key(), as_dict=True)
    claims = {"iss": issuer.url, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}
    headers = {"kid": "first", "jwk": own, "jku": f"{issuer.url}/mine", "x5u": f"{issuer.url}/mine"}

    with pytest.raises(AccessDenied, match="signature"):
        verify(issuer, jwt.encode(claims, issuer.keys["mine"], algorithm="RS256", headers=headers))
    assert "/mine" not in issuer.asked


def test_an_issuer_that_dawdles_over_a_strangers_key_holds_up_nobody_whose_key_is_known(
    issuer: Issuer,
) -> None:
    clock = MovedClock()

    async def run() -> Principal:
        verifier = OAuthVerifier(issuer.url, AUDIENCE, Settings(), clock)
        try:
            await verifier.verify(issuer.token())
            clock.seconds += 60
            issuer.let.clear()
            issuer.rotate("strange", publish=False)
            asked = len(issuer.asked)
            stranger = asyncio.create_task(verifier.verify(issuer.token("strange")))
            while len(issuer.asked) == asked:
                await asyncio.sleep(0.005)
            found = await verifier.verify(issuer.token())
            issuer.let.set()
            with pytest.raises(AccessDenied):
                await stranger
            return found
        finally:
            issuer.let.set()
            await verifier.aclose()

    assert asyncio.run(asyncio.wait_for(run(), 30)).name == "ada"


def test_keys_are_asked_for_once_and_again_when_a_new_one_is_named(issuer: Issuer) -> None:
    clock = MovedClock()

    async def run() -> None:
        verifier = OAuthVerifier(issuer.url, AUDIENCE, Settings(), clock)
        try:
            for _ in range(5):
                await verifier.verify(issuer.token())
            assert issuer.asked.count("/keys") == 1
            issuer.rotate("second")
            with pytest.raises(
                AccessDenied, match="does not publish"
            ):  # so soon nobody knocks again
                await verifier.verify(issuer.token("second"))
            assert issuer.asked.count("/keys") == 1
            clock.seconds += 31
            await verifier.verify(issuer.token("second"))
            assert issuer.asked.count("/keys") == 2
            with pytest.raises(
                AccessDenied, match="does not publish"
            ):  # the old key is worth nothing now
                await verifier.verify(issuer.token("first"))
        finally:
            await verifier.aclose()

    asyncio.run(run())


def test_an_issuer_that_is_down_leaves_the_keys_at_hand_good(issuer: Issuer) -> None:
    clock = MovedClock()

    async def run() -> Principal:
        verifier = OAuthVerifier(issuer.url, AUDIENCE, Settings(), clock)
        try:
            await verifier.verify(issuer.token())
            issuer.working = False
            clock.seconds += 7200
            return await verifier.verify(issuer.token())
        finally:
            await verifier.aclose()

    assert asyncio.run(run()).name == "ada"


def test_without_any_key_nobody_can_tell(issuer: Issuer) -> None:
    issuer.working = False

    with pytest.raises(VerifierUnavailable):
        verify(issuer, issuer.token())


def test_metadata_of_another_issuer_is_not_believed(issuer: Issuer) -> None:
    token = issuer.token()
    issuer.url = "https://evil.example"  # what its metadata says now
    asked = token

    async def run() -> None:
        real = jwt.decode(asked, options={"verify_signature": False})["iss"]
        verifier = OAuthVerifier(real, AUDIENCE, Settings(), MovedClock())
        try:
            with pytest.raises(VerifierUnavailable):
                await verifier.verify(asked)
        finally:
            await verifier.aclose()

    asyncio.run(run())


def test_metadata_is_also_found_where_openid_has_it(issuer: Issuer) -> None:
    issuer.places = ["/.well-known/openid-configuration"]

    assert verify(issuer, issuer.token())[0].name == "ada"
