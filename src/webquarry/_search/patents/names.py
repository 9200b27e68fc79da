"""Words of a query without query syntax, and names of companies compared.

`TIDEWORKS LTD [GB]`, `Tideworks Limited` and `Tideworks, Ltd.` are one assignee: legal form,
country and punctuation are ignored in comparisons.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webquarry._search.replies.text import normalize_letters

_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSAFE = re.compile(r"[^\w\s&'’.+-]|_")
_STOP_WORD_LIST = (
    "a an and are as at be by can for from has have how in into is it its not of on or that the "
    "their this to using via was were what which with"
)
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
_LEGAL_FORM_LIST = (
    "ab ag aktiengesellschaft as asa bhd bv co company corp corporation de cv ev gmbh group "
    "holding holdings inc incorporated kabushiki kaisha kg kk kgaa lc limited llc llp lp ltd mbh "
    "nv oy oyj plc pte pty pvt sa sarl sas se spa srl the und and aps doo zrt sro"
)
_LEGAL_FORMS = frozenset(_LEGAL_FORM_LIST.split())
_DOTS = re.compile(r"(?<=\b\w)\.(?=\w\b)")  # L.L.C., S.A.


@dataclass(frozen=True)
class Cluster:
    """An assignee with the number of its patents and their share."""

    assignee: str
    count: int
    share: float


def bare(text: str) -> str:
    """Return a value on one line without quotation marks and operators."""
    return " ".join(_UNSAFE.sub(" ", normalize_letters("NFC", text)).split())


def terms(text: str, most: int) -> tuple[list[str], bool]:
    """Return the distinct words and quoted phrases of a text without stop words, and whether some
    were left out.
    """
    found: dict[str, None] = {}
    for phrase, word in _PARTS.findall(text):
        candidates = [bare(phrase)]
        if not phrase:
            candidates = [one for one in bare(word).split() if one.casefold() not in _STOP_WORDS]
        for candidate in candidates:
            if any(map(str.isalnum, candidate)):
                found.setdefault(candidate.strip("-'’.+&") or candidate)
    every = list(found) or bare(text).split()
    return every[:most], len(every) > most


def assignee_key(name: str) -> str:
    """Return the form in which all spellings of a name are equal."""
    without_country = re.sub(r"\[[A-Za-z]{2}\]", " ", name)
    plain = normalize_letters("NFKD", without_country).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"\w+", _DOTS.sub("", letters).replace("&", " and "))
    telling = [word for word in words if word not in _LEGAL_FORMS]
    return " ".join(telling or words)


def names_match(wanted: str, names: Iterable[str]) -> bool:
    """Return whether all words of the wanted name occur in one of the names."""
    words = set(assignee_key(wanted).split())
    return any(words.issubset(assignee_key(name).split()) for name in names)


def assignee_clusters(patents: Sequence[tuple[str, ...]], most: int = 20) -> list[Cluster]:
    """Return the assignees with the most patents, given the assignees of each patent."""
    spellings: dict[str, Counter[str]] = {}
    for assignees in patents:
        own = {assignee_key(name): name for name in assignees}
        own.pop("", None)
        for key, name in own.items():
            spellings.setdefault(key, Counter())[name] += 1
    largest = sorted(spellings.items(), key=lambda item: (-item[1].total(), item[0]))
    clusters = []
    for _, names in largest[:most]:
        # The most frequent spelling; of equally frequent ones not in capitals, then by alphabet.
        ranked = [(-number, name.isupper(), name) for name, number in names.items()]
        share = round(names.total() / len(patents), 3)
        clusters.append(Cluster(min(ranked)[2], names.total(), share))
    return clusters
