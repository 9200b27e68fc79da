"""Names of companies as registers write them -> one name for each, and how many patents each has.

`TIDEWORKS LTD [GB]`, `Tideworks Limited` and `Tideworks, Ltd.` are one. What is left when the legal
form, the country and the signs are gone decides; it is never shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webquarry.search.patents.models import Patent

_FORMS = frozenset(
    [
        "ab",
        "ag",
        "aktiengesellschaft",
        "as",
        "asa",
        "bhd",
        "bv",
        "co",
        "company",
        "corp",
        "corporation",
        "de",
        "cv",
        "ev",
        "gmbh",
        "group",
        "holding",
        "holdings",
        "inc",
        "incorporated",
        "kabushiki",
        "kaisha",
        "kg",
        "kk",
        "kgaa",
        "lc",
        "limited",
        "llc",
        "llp",
        "lp",
        "ltd",
        "mbh",
        "nv",
        "oy",
        "oyj",
        "plc",
        "pte",
        "pty",
        "pvt",
        "sa",
        "sarl",
        "sas",
        "se",
        "spa",
        "srl",
        "the",
        "und",
        "and",
        "aps",
        "doo",
        "zrt",
        "sro",
    ]
)
_DOTS = re.compile(r"(?<=\b\w)\.(?=\w\b)")  # L.L.C., S.A.


@dataclass(frozen=True)
class Cluster:
    """One assignee, how many of the patents are its, and which part of them all that is."""

    assignee: str
    count: int
    share: float


def assignee_key(name: str) -> str:
    """What two spellings of one name have in common."""
    plain = unicodedata.normalize("NFKD", re.sub(r"\[[A-Za-z]{2}\]", " ", name)).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"\w+", _DOTS.sub("", letters).replace("&", " and "))
    kept = [word for word in words if word not in _FORMS]
    return " ".join(kept or words)


def names_match(wanted: str, names: Iterable[str]) -> bool:
    """Whether all words of the wanted name occur in one of the names, legal forms aside."""
    words = set(assignee_key(wanted).split())
    return any(words <= set(assignee_key(name).split()) for name in names)


def assignee_clusters(patents: Sequence[Patent], most: int = 20) -> list[Cluster]:
    """The assignees with the most patents, largest first. A patent of two counts for both."""
    spellings: dict[str, Counter[str]] = {}
    for patent in patents:
        for key, name in {assignee_key(name): name for name in patent.assignees}.items():
            if key:
                spellings.setdefault(key, Counter())[name] += 1
    counts = {key: sum(names.values()) for key, names in spellings.items()}
    ordered = sorted(counts, key=lambda key: (-counts[key], key))[:most]
    return [
        Cluster(_shown(spellings[key]), counts[key], round(counts[key] / len(patents), 3))
        for key in ordered
    ]


def _shown(names: Counter[str]) -> str:
    """The most frequent spelling; of equally frequent ones not the one in capitals, then the first
    by the alphabet.
    """
    return min(names, key=lambda name: (-names[name], name.isupper(), name))
