"""What is known of a host."""

from __future__ import annotations

import pytest

from webquarry.evidence.trust.reputation import reputation_of
from webquarry.net.domains import registrable_domain


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://www.reuters.com/world/story", "high"),
        ("https://112.ua/x", "low"),
        ("https://1wrestling.com", "mixed"),
        ("http://NEWS.Reuters.COM.:80/", "high"),
    ],
)
def test_a_listed_site_has_a_tier_and_its_basis(url: str, tier: str) -> None:
    found = reputation_of(url)
    assert found is not None
    assert found.tier == tier
    assert "Wikipedia" in found.basis


@pytest.mark.parametrize(
    ("host", "basis"),
    [
        ("de.m.wikipedia.org", "tertiary source"),
        ("www.wikidata.org", "tertiary source"),
        ("stackoverflow.com", "user-generated content"),
        ("tides.fandom.com", "user-generated content"),
        ("arxiv.org", "preprints and manuscripts, not peer reviewed"),
    ],
)
def test_hosts_excluded_for_their_kind_are_mixed_and_the_basis_names_it(
    host: str, basis: str
) -> None:
    found = reputation_of(f"https://{host}/wiki/Tide")

    assert found is not None
    assert (found.tier, found.basis) == ("mixed", basis)


def test_unreliable_hosts_are_low() -> None:
    found = reputation_of("https://www.infowars.com/")

    assert found is not None
    assert found.tier == "low"
    assert reputation_of("https://notwikipedia.org/") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://notreuters.com/",
        "https://reuters.com.evil.example/",
        "http://127.0.0.1/",
        "not a url",
        "http://[",
        "https://com/",
    ],
)
def test_an_unlisted_host_is_unknown_not_bad(url: str) -> None:
    assert reputation_of(url) is None


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("a.b.github.io", "b.github.io"),
        ("co.uk", ""),
        ("192.0.2.1", ""),
        ("", ""),
    ],
)
def test_the_registrable_domain_follows_the_public_suffix_list(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
