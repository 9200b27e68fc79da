"""Registrable domains by the public suffix list."""

from __future__ import annotations

from pathlib import Path

import idna
import pytest
from publicsuffixlist import PSLFILE, PublicSuffixList

from webquarry.net.domains import registrable_domain


def test_registrable_domains_of_all_rules_agree_with_publicsuffixlist() -> None:
    reference = PublicSuffixList(accept_encoded_idn=True)
    lines = Path(PSLFILE).read_text("utf-8").splitlines()
    suffixes = [
        line.lstrip("!").replace("*", "any") for line in lines if line[:2] not in ("", "//")
    ]
    suffixes += [idna.encode(suffix).decode() for suffix in suffixes if not suffix.isascii()]
    hosts = [prefix + suffix for suffix in suffixes for prefix in ("", "a.", "b.a.")]

    differing = [
        host for host in hosts if registrable_domain(host) != (reference.privatesuffix(host) or "")
    ]

    assert differing == []
    assert len(hosts) > 10_000


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("localhost", ""),
        ("b.a.unlisted", "a.unlisted"),
        ("example.org.", "example.org"),
        ("WWW.Example.ORG", "example.org"),
        ("192.0.2.1", ""),
        ("xn--.org", "xn--.org"),
    ],
)
def test_registrable_domain_of_a_host_without_a_rule(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
