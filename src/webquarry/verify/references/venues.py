"""Venues: the names of a reference and of records compared.

Venues have many names: an acronym, a long name, a long name with a year, an abbreviation of each
word. A series or a repository never contradicts: proceedings appear in a series, and most papers
are in a repository too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from webquarry.verify.references.models import Agreement
from webquarry.verify.references.text import fold_words

# Names that the rules below do not match, or would mix up with those of another venue.
_VENUES = """
neurips|nips|neural information processing systems|advances in neural information processing systems
icml|international conference on machine learning
cvpr|computer vision and pattern recognition|conference on computer vision and pattern recognition
iccv|international conference on computer vision
eccv|european conference on computer vision
wacv|winter conference on applications of computer vision
aaai|aaai conference on artificial intelligence|national conference on artificial intelligence
ijcai|international joint conference on artificial intelligence
acl|meeting of the association for computational linguistics
naacl|naacl hlt|north american chapter of the association for computational linguistics
eacl|european chapter of the association for computational linguistics
aacl|asia pacific chapter of the association for computational linguistics
coling|international conference on computational linguistics
conll|computational natural language learning
findings of acl|findings of the association for computational linguistics
tacl|transactions of the association for computational linguistics|trans assoc comput linguistics
kdd|sigkdd|acm sigkdd|knowledge discovery and data mining
www|the web conference|web conference|international world wide web conference|thewebconf
sigir|research and development in information retrieval
wsdm|web search and data mining
recsys|conference on recommender systems
chi|human factors in computing systems
sp|oakland|symposium on security and privacy
ndss|network and distributed system security
jmlr|j mach learn res|journal of machine learning research
tmlr|trans mach learn res|transactions on machine learning research
mlj|mach learn|machine learning|machine learning journal
aistats|artificial intelligence and statistics
uai|uncertainty in artificial intelligence
colt|conference on learning theory|computational learning theory
alt|algorithmic learning theory
acml|asian conference on machine learning
ecml|ecml pkdd|european conference on machine learning
icdm|international conference on data mining
sdm|siam international conference on data mining
sosp|symposium on operating systems principles
sigcomm|acm sigcomm
sigmod|management of data|international conference on management of data
vldb|pvldb|proc vldb endow|proceedings of the vldb endowment|very large data bases
icde|international conference on data engineering
pldi|programming language design and implementation
popl|principles of programming languages
icse|international conference on software engineering
fse|esec fse|foundations of software engineering
ase|automated software engineering
isca|international symposium on computer architecture
micro|international symposium on microarchitecture
hpca|high performance computer architecture
asplos|architectural support for programming languages and operating systems
mlsys|sysml|machine learning and systems
itcs|innovations in theoretical computer science
icra|robotics and automation
iros|intelligent robots and systems
rss|robotics science and systems
corl|conference on robot learning
icassp|acoustics speech and signal processing
interspeech|annual conference of the international speech communication association
soups|usable privacy and security
facct|fat|fairness accountability and transparency
aies|ai ethics and society
tog|acm trans graph|acm transactions on graphics
tpami|pami|ieee trans pattern anal mach intell|pattern analysis and machine intelligence
ijcv|int j comput vis|international journal of computer vision
tip|ieee trans image process|transactions on image processing
tnnls|ieee trans neural networks learn syst|transactions on neural networks and learning systems
tkde|ieee trans knowl data eng|transactions on knowledge and data engineering
jair|j artif intell res|journal of artificial intelligence research
aij|artif intell|artificial intelligence
pacmmod|proc acm manag data|proceedings of the acm on management of data
pnas|proc natl acad sci|proc natl acad sci u s a|proceedings of the national academy of sciences
prl|phys rev lett|physical review letters
"""
ALIASES = {
    name: line.partition("|")[0]
    for line in _VENUES.strip().splitlines()
    for name in line.split("|")
}
REPOSITORIES = (
    "arxiv", "corr", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square", "zenodo",
    "figshare", "hal", "osf preprints", "psyarxiv", "preprints org", "techrxiv", "eartharxiv",
    "cornell university", "openreview", "pubmed central", "dspace", "open access repository",
    "computing research repository", "preprint", "iacr cryptol eprint arch", "cryptology eprint",
)  # fmt: skip
SERIES = (
    "lecture notes in", "lncs", "proceedings of machine learning research", "pmlr", "procedia",
    "jmlr workshop and", "communications in computer and information science", "lipics",
    "ceur workshop proceedings", "leibniz international proceedings in informatics",
    "acm international conference proceeding", "advances in intelligent systems and",
    "ifip advances", "studies in computational intelligence", "springer proceedings",
    "electronic proceedings in theoretical computer science", "conference series",
    "proceedings of spie", "aip conference proceedings",
)  # fmt: skip
# Words that do not distinguish venues.
_FILLING = frozenset(
    """
    a an and at for in of on the to with proceedings proc annual international intl int national
    conference conf symposium symp workshop workshops meeting advances journal transactions trans
    letters review reviews ieee cvf acm usenix siam aaai open online series volume vol first second
    third th st nd rd edition der die das und fur zeitschrift revue revista rivista de la le les des
    du et y e i
    """.split()  # noqa: SIM905
)
_SMALL = frozenset(
    ["of", "the", "and", "for", "in", "on", "a", "to", "der", "fur", "de", "la", "section"]
)
_NUMBER = re.compile(
    r"\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh"
    r"|twelfth|\w+teenth|\w+tieth|thirty|forty"
)
_BRACKETED = re.compile(r"\(([A-Za-z][A-Za-z'&/-]{1,14})(?:[\s'-]*\d{2,4})?\)")
_YEAR_AT_END = re.compile(r"(?<![\s'’,])[\s'’,]*(?:19|20)?\d\d$")
_ACRONYM = re.compile(r"[A-Z][A-Za-z+/&-]{1,14}")
_Kind = Literal["repository", "series", "venue", "none"]


def compare_venues(given: str, recorded: Iterable[str]) -> Agreement:
    """Return whether the venue is one of those of a record."""
    kind = classify_venue(given)
    if kind in ("none", "series"):
        return "not_checked"
    is_contradicted = False
    for name in recorded:
        other = classify_venue(name)
        if kind == other == "repository" or _is_same(given, name):
            return "yes"
        is_contradicted = is_contradicted or kind == other
    return "no" if is_contradicted else "not_checked"


@lru_cache(maxsize=4096)
def classify_venue(name: str) -> _Kind:
    """Return the kind of a name."""
    words = fold_words(name)
    joined = f" {' '.join(words)} "
    if any(f" {repository} " in joined for repository in REPOSITORIES):
        return "repository"
    if any(f" {series} " in joined for series in SERIES):
        return "series"
    return "venue" if _main_words(words) or _find_aliases(name) else "none"


def _is_same(left: str, right: str) -> bool:
    """Return whether two names are of one venue."""
    ours = _find_aliases(left)
    theirs = _find_aliases(right)
    if ours and theirs:
        return bool(ours & theirs)
    words = _strip_numbers(fold_words(left))
    others = _strip_numbers(fold_words(right))
    main = _main_words(words)
    other_main = _main_words(others)
    return (
        "".join(words) == "".join(others)
        or (bool(main) and main == other_main)
        or _is_acronym(left, others)
        or _is_acronym(right, words)
        or _is_abbreviation(words, others)
        or _is_abbreviation(others, words)
    )


@lru_cache(maxsize=4096)
def _find_aliases(name: str) -> frozenset[str]:
    """Return the venues of the table that have this name, acronym or long name."""
    words = _strip_numbers(fold_words(name))
    whole = " ".join(words)
    spellings = [whole, "".join(words)]
    spellings += ["".join(fold_words(bracketed)) for bracketed in _BRACKETED.findall(name)]
    found = {ALIASES[spelling] for spelling in spellings if spelling in ALIASES}
    contained = [one for one in ALIASES if " " in one and f" {one} " in f" {whole} "]
    if contained and len(found) != 1:  # "NAACL" contains the words of "ACL"
        return frozenset({ALIASES[max(contained, key=len)]})
    return frozenset(found)


def _strip_numbers(words: Iterable[str]) -> list[str]:
    """Return the words without years and ordinals."""
    return [word for word in words if not _NUMBER.fullmatch(word)]


def _main_words(words: Iterable[str]) -> list[str]:
    """Return the words that distinguish a venue."""
    return [word for word in _strip_numbers(words) if word not in _FILLING]


def _is_acronym(short: str, words: Sequence[str]) -> bool:
    """Return whether a short name is the initials of a long one; filler words may be skipped."""
    name = _YEAR_AT_END.sub("", short.strip())
    letters = "".join(fold_words(name))
    if not _ACRONYM.fullmatch(name) or not 2 <= len(letters) <= 10 or len(words) < 2:
        return False
    states = {0}
    for word in words:
        following = states if word in _FILLING else set()
        states = following | {one + 1 for one in states if letters[one : one + 1] == word[0]}
    return len(letters) in states


def _is_abbreviation(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether each word abbreviates one of the other name: "Mach Learn Res"."""
    ours = [word for word in short if word not in _SMALL]
    theirs = [word for word in long if word not in _SMALL]
    if not ours or len(ours) != len(theirs) or ours == theirs:
        return False
    for left, right in zip(ours, theirs, strict=True):
        ends = (left[0], left[-1])
        is_contraction = 2 <= len(left) <= 5 and ends == (right[0], right[-1])  # "natl"
        if not right.startswith(left) and not is_contraction:
            return False
    return True
