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

from webquarry._search.patents.models import Patent
from webquarry._search.replies.text import normalize_letters

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
    without_country = re.sub(r"\[[A-Za-z]{2}\]", " ", name)
    plain = normalize_letters("NFKD", without_country).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    spelled_out = _DOTS.sub("", letters).replace("&", " and ")
    words = re.findall(r"\w+", spelled_out)
    telling = [word for word in words if word not in _FORMS]
    return " ".join(telling or words)


def names_match(wanted: str, names: Iterable[str]) -> bool:
    """Whether all words of the wanted name occur in one of the names, legal forms aside."""
    words = set(assignee_key(wanted).split())
    return any(words.issubset(assignee_key(name).split()) for name in names)


def assignee_clusters(patents: Sequence[Patent], most: int = 20) -> list[Cluster]:
    """The assignees with the most patents, largest first. A patent of two counts for both."""
    spellings: dict[str, Counter[str]] = {}
    for patent in patents:
        own = {assignee_key(name): name for name in patent.assignees}
        own.pop("", None)
        for key, name in own.items():
            names = spellings.setdefault(key, Counter())
            names[name] += 1
    counts = {key: names.total() for key, names in spellings.items()}
    largest = sorted(counts, key=lambda key: (-counts[key], key))
    clusters = []
    for key in largest[:most]:
        count = counts[key]
        share = round(count / len(patents), 3)
        names = spellings[key]
        # The most frequent spelling; of equally frequent ones not the one in capitals, then the
        # first by the alphabet.
        ranked = [(-number, name.isupper(), name) for name, number in names.items()]
        clusters.append(Cluster(min(ranked)[2], count, share))
    return clusters
