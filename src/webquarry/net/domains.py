"""Registrable domains of host names, by the public suffix list."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import idna


@lru_cache(2048)
def registrable_domain(host: str) -> str:
    """Return the public suffix and one label; empty for a bare suffix or an address."""
    labels = host.lower().removesuffix(".").split(".")
    if not all(labels) or "".join(labels).isdigit():
        return ""
    start = len(labels) - _count_suffix_labels(labels) - 1
    if start < 0:
        return ""
    return ".".join(labels[start:])


def is_same_site(host: str, other: str) -> bool:
    """Whether two hosts, in lower case, have the same registrable domain."""
    if host == other:
        return True
    domain = registrable_domain(host)
    return bool(domain) and domain == registrable_domain(other)


def _count_suffix_labels(labels: list[str]) -> int:
    """Return the number of labels of the public suffix of a host; 1 without a rule."""
    rules = _load_rules()
    names = [_decode_label(label) for label in labels]
    for start in range(len(names)):
        suffix = ".".join(names[start:])
        parent = suffix.partition(".")[2]
        if f"!{suffix}" in rules:
            return len(names) - start - 1
        if suffix in rules or f"*.{parent}" in rules:
            return len(names) - start
    return 1


def _decode_label(label: str) -> str:
    """Return a label in Unicode, as the list has it."""
    if not label.startswith("xn--"):
        return label
    try:
        return idna.decode(label)
    except idna.IDNAError:
        return label


@cache
def _load_rules() -> frozenset[str]:
    """Return the rules of the list. The comments among them match no host."""
    from publicsuffixlist import PSLFILE

    return frozenset(Path(PSLFILE).read_text("utf-8").splitlines())
