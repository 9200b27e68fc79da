"""Verification of JWTs: issuer, audience, time, signature, and the cache of the issuer's keys."""

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

from tests.mcp.issuer import RESOURCE, Issuer, running_issuer
from webquarry.clock import Clock
from webquarry.mcp.auth import AccessDenied, OAuthVerifier, Principal, VerifierUnavailable
from webquarry.settings import Settings


class ManualClock(Clock):
    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as found:
        yield found


def verify(issuer: Issuer, *tokens: str) -> list[Principal]:
    async def run() -> list[Principal]:
        verifier = OAuthVerifier(issuer.url, RESOURCE, Settings(), ManualClock())
        return [await verifier.verify(token) for token in tokens]

    return asyncio.run(run())


def test_a_token_is_verified_for_its_subject(issuer: Issuer) -> None:
    (found,) = verify(issuer, issuer.token(scope="read search"))

    assert found.name == "ada"
    assert issuer.url in found.id
    assert found.scopes == {"read", "search"}


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"aud": "https://other.example.org/mcp"}, "another server"),
        ({"aud": None}, "exp, iss or aud"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "exp, iss or aud"),
        ({"nbf": 2_000_000_000_0}, "not valid yet"),
        ({"sub": None}, "no subject"),
    ],
)
def test_tokens_with_wrong_claims_are_denied(
    issuer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    with pytest.raises(AccessDenied, match=reason):
        verify(issuer, issuer.token(**claims))


def test_a_forged_signature_is_denied(issuer: Issuer) -> None:
    issuer.rotate("theirs", publish=False)

    with pytest.raises(AccessDenied, match="signature"):
        verify(issuer, issuer.token("theirs", kid="first"))


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "a.b", "x" * 20_000])
def test_anything_but_a_jwt_is_denied_without_a_request_to_the_issuer(
    issuer: Issuer, token: str
) -> None:
    with pytest.raises(AccessDenied, match="not a JWT"):
        verify(issuer, token)

    assert issuer.requests == []


def test_unsigned_and_symmetrically_signed_tokens_are_denied(issuer: Issuer) -> None:
    claims = {"iss": issuer.url, "aud": RESOURCE, "sub": "ada", "exp": int(time.time()) + 60}
    secret = "a secret that is long enough for this"
    unsigned = jwt.encode(claims, "", algorithm="none")
    symmetric = jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "first"})

    for token in (unsigned, symmetric):
        with pytest.raises(AccessDenied, match="not accepted"):
            verify(issuer, token)


def test_elliptic_keys_are_accepted(issuer: Issuer) -> None:
    issuer.add_elliptic_key("curve")

    assert verify(issuer, issuer.token("curve", "ES256"))[0].name == "ada"


def test_a_key_with_an_algorithm_is_used_for_no_other(issuer: Issuer) -> None:
    issuer.fields["first"] = {"alg": "RS256"}

    assert verify(issuer, issuer.token(algorithm="RS256"))
    with pytest.raises(AccessDenied, match="does not publish"):
        verify(issuer, issuer.token(algorithm="PS256"))


def test_an_encryption_key_verifies_no_signature(issuer: Issuer) -> None:
    issuer.rotate("second")
    issuer.published = ["first", "second"]
    issuer.fields["first"] = {"use": "enc"}

    assert verify(issuer, issuer.token("second"))
    with pytest.raises(AccessDenied, match="does not publish"):
        verify(issuer, issuer.token("first"))


@pytest.mark.parametrize("header", [{"crit": ["x"], "x": 1}, {"b64": False, "crit": ["b64"]}])
def test_unknown_critical_headers_are_denied(issuer: Issuer, header: dict[str, Any]) -> None:
    head, _, rest = issuer.token().partition(".")
    fields = json.loads(base64.urlsafe_b64decode(head + "==")) | header
    forged = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")

    with pytest.raises(AccessDenied, match="not a JWT"):
        verify(issuer, f"{forged}.{rest}")


def test_keys_in_the_token_are_ignored(issuer: Issuer) -> None:
    issuer.rotate("mine", publish=False)
    key = jwt.algorithms.RSAAlgorithm.to_jwk(issuer.keys["mine"].public_key(), as_dict=True)
    claims = {"iss": issuer.url, "aud": RESOURCE, "sub": "ada", "exp": int(time.time()) + 60}
    headers = {"kid": "first", "jwk": key, "jku": f"{issuer.url}/mine", "x5u": f"{issuer.url}/mine"}

    with pytest.raises(AccessDenied, match="signature"):
        verify(issuer, jwt.encode(claims, issuer.keys["mine"], algorithm="RS256", headers=headers))
    assert "/mine" not in issuer.requests


def test_keys_are_cached_and_fetched_again_for_a_new_key_id_every_30_seconds_at_most(
    issuer: Issuer,
) -> None:
    clock = ManualClock()

    async def run() -> None:
        verifier = OAuthVerifier(issuer.url, RESOURCE, Settings(), clock)
        for _ in range(5):
            await verifier.verify(issuer.token())
        assert issuer.requests.count("/keys") == 1
        issuer.rotate("second")
        with pytest.raises(AccessDenied, match="does not publish"):
            await verifier.verify(issuer.token("second"))
        assert issuer.requests.count("/keys") == 1
        clock.seconds += 31
        await verifier.verify(issuer.token("second"))
        assert issuer.requests.count("/keys") == 2
        with pytest.raises(AccessDenied, match="does not publish"):  # no longer published
            await verifier.verify(issuer.token("first"))

    asyncio.run(run())


def test_stale_keys_are_used_while_the_issuer_is_unavailable(issuer: Issuer) -> None:
    clock = ManualClock()

    async def run() -> Principal:
        verifier = OAuthVerifier(issuer.url, RESOURCE, Settings(), clock)
        await verifier.verify(issuer.token())
        issuer.is_up = False
        clock.seconds += 7200
        return await verifier.verify(issuer.token())

    assert asyncio.run(run()).name == "ada"


def test_without_keys_the_verifier_is_unavailable(issuer: Issuer) -> None:
    issuer.is_up = False

    with pytest.raises(VerifierUnavailable):
        verify(issuer, issuer.token())


def test_metadata_of_another_issuer_is_ignored(issuer: Issuer) -> None:
    token, url = issuer.token(), issuer.url
    issuer.url = "https://evil.example"  # what the metadata says

    async def run() -> None:
        await OAuthVerifier(url, RESOURCE, Settings(), ManualClock()).verify(token)

    with pytest.raises(VerifierUnavailable):
        asyncio.run(run())


def test_a_configured_address_of_the_keys_needs_no_metadata(issuer: Issuer) -> None:
    issuer.metadata_paths = []

    async def run() -> Principal:
        settings = Settings(oauth_jwks=f"{issuer.url}/keys")
        return await OAuthVerifier(issuer.url, RESOURCE, settings).verify(issuer.token())

    assert asyncio.run(run()).name == "ada"
