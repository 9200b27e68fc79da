"""What is known of a host."""

from __future__ import annotations

import pytest

from webquarry.evidence.trust.reputation import reputation_of


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
    "host", ["en.wikipedia.org", "de.m.wikipedia.org", "www.wikidata.org", "fr.wiktionary.org"]
)
def test_wikipedia_and_its_like_are_tertiary_sources_and_not_low(host: str) -> None:
    found = reputation_of(f"https://{host}/wiki/Tide")

    assert found is not None
    assert (found.tier, found.basis) == ("mixed", "tertiary source")


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
