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

_VENUES = """
neurips|nips|neural information processing systems|advances in neural information processing systems
icml|international conference on machine learning
iclr|international conference on learning representations
cvpr|computer vision and pattern recognition|conference on computer vision and pattern recognition
iccv|international conference on computer vision
eccv|european conference on computer vision
wacv|winter conference on applications of computer vision
bmvc|british machine vision conference
aaai|aaai conference on artificial intelligence|national conference on artificial intelligence
ijcai|international joint conference on artificial intelligence
acl|meeting of the association for computational linguistics
emnlp|empirical methods in natural language processing
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
cikm|conference on information and knowledge management
wsdm|web search and data mining
recsys|conference on recommender systems
chi|human factors in computing systems
uist|user interface software and technology
cscw|computer supported cooperative work
ccs|computer and communications security
sp|oakland|symposium on security and privacy
ndss|network and distributed system security
usenix security|usenix security symposium
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
osdi|operating systems design and implementation
nsdi|networked systems design and implementation
sigcomm|acm sigcomm
sigmod|management of data|international conference on management of data
vldb|pvldb|proc vldb endow|proceedings of the vldb endowment|very large data bases
icde|international conference on data engineering
pldi|programming language design and implementation
popl|principles of programming languages
oopsla|object oriented programming systems languages and applications
icse|international conference on software engineering
fse|esec fse|foundations of software engineering
ase|automated software engineering
isca|international symposium on computer architecture
micro|international symposium on microarchitecture
hpca|high performance computer architecture
asplos|architectural support for programming languages and operating systems
mlsys|sysml|machine learning and systems
stoc|symposium on theory of computing
focs|foundations of computer science
soda|symposium on discrete algorithms
itcs|innovations in theoretical computer science
icra|robotics and automation
iros|intelligent robots and systems
rss|robotics science and systems
corl|conference on robot learning
icassp|acoustics speech and signal processing
interspeech|annual conference of the international speech communication association
miccai|medical image computing and computer assisted intervention
soups|usable privacy and security
facct|fat|fairness accountability and transparency
aies|ai ethics and society
siggraph|acm siggraph
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
nejm|n engl j med|new england journal of medicine
jama|journal of the american medical association
bmj|british medical journal
lancet|the lancet
prl|phys rev lett|physical review letters
jacs|j am chem soc|journal of the american chemical society
"""


def _read_names(table: str) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for line in table.split("\n"):
        names = [name for name in line.split("|") if name]
        for name in names:
            aliases[name] = names[0]
    return aliases


ALIASES = _read_names(_VENUES)
REPOSITORIES = (
    "arxiv", "corr", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square", "zenodo",
    "figshare", "hal", "osf preprints", "psyarxiv", "preprints org", "techrxiv", "eartharxiv",
    "cornell university", "openreview", "pubmed central", "dspace", "open access repository",
    "computing research repository", "preprint", "iacr cryptol eprint arch", "cryptology eprint",
)  # fmt: skip
SERIES = (
    "lecture notes in computer science", "lncs", "lecture notes in artificial intelligence",
    "lecture notes in", "proceedings of machine learning research", "pmlr", "jmlr workshop and",
    "communications in computer and information science", "ceur workshop proceedings", "lipics",
    "leibniz international proceedings in informatics", "acm international conference proceeding",
    "acm international conference proceeding series", "advances in intelligent systems and",
    "ifip advances", "studies in computational intelligence", "springer proceedings",
    "electronic proceedings in theoretical computer science", "procedia", "conference series",
    "proceedings of spie", "aip conference proceedings",
)  # fmt: skip

# Words that tell no venue from another.
_FILLING_WORDS = (
    "a an and at for in of on the to with proceedings proc annual international intl int "
    "national conference conf symposium symp workshop workshops meeting advances journal "
    "transactions trans letters review reviews ieee cvf acm usenix siam aaai open online "
    "series volume vol first second third th st nd rd edition der die das und fur "
    "zeitschrift revue revista rivista de la le les des du et y e i"
)
_FILLING = frozenset(_FILLING_WORDS.split())
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
    "thirtieth thirty forty fortieth"
)
_ORDINAL = frozenset(_ORDINAL_WORDS.split())
_BRACKETED = re.compile(r"\(([A-Za-z][A-Za-z'&/-]{1,14})(?:[\s'-]*\d{2,4})?\)")
_YEAR_AT_END = re.compile(r"(?<![\s'’,])[\s'’,]*(?:19|20)?\d\d$")
_KIND = re.compile(r"[A-Z][A-Za-z+/&-]{1,14}")
Name = Literal["repository", "series", "venue", "none"]


def compare_venues(given: str, recorded: Iterable[str]) -> Agreement:
    """Return whether the venue is one of those of a record."""
    if classify_venue(given) in ("none", "series"):
        return "not_checked"
    is_repository = classify_venue(given) == "repository"
    speaks = False
    for name in recorded:
        kind = classify_venue(name)
        if is_repository and kind == "repository":
            return "yes"
        if _is_same(given, name):
            return "yes"
        speaks = speaks or kind == "venue"
    # That a work is in a repository is true of most, and never contradicts where it appeared.
    if not speaks or is_repository:
        return "not_checked"
    return "no"


@lru_cache(maxsize=4096)
def classify_venue(name: str) -> Name:
    """Return the kind of a name."""
    words = fold_words(name)
    letters = "".join(words)
    if not letters:
        return "none"
    joined = f" {' '.join(words)} "
    if any(f" {repository} " in joined for repository in REPOSITORIES):
        return "repository"
    if any(f" {series} " in joined for series in SERIES):
        return "series"
    if not _telling_words(words) and not _find_aliases(name):
        return "none"
    return "venue"


def _is_same(left: str, right: str) -> bool:
    """Return whether two names are of one venue."""
    ours = _find_aliases(left)
    theirs = _find_aliases(right)
    if ours & theirs:
        return True
    if ours and theirs:
        return False
    words = _strip_numbers(fold_words(left))
    others = _strip_numbers(fold_words(right))
    if "".join(words) == "".join(others):
        return True
    told = _telling_words(words)
    told_there = _telling_words(others)
    if told and told == told_there:
        return True
    if _contains(told, told_there) or _contains(told_there, told):
        return True
    if _is_acronym(left, others) or _is_acronym(right, words):
        return True
    return _is_abbreviation(words, others) or _is_abbreviation(others, words)


@lru_cache(maxsize=4096)
def _find_aliases(name: str) -> frozenset[str]:
    """Return the venues of the table that have this name, acronym or long name."""
    words = _strip_numbers(fold_words(name))
    found: set[str] = set()
    whole = " ".join(words)
    bare = [word for word in words if word not in ("proceedings", "of", "the", "in", "proc")]
    for spelling in (whole, "".join(words), " ".join(bare), "".join(bare)):
        if spelling in ALIASES:
            found.add(ALIASES[spelling])
    for bracketed in _BRACKETED.findall(name):
        spelling = "".join(fold_words(bracketed))
        if spelling in ALIASES:
            found.add(ALIASES[spelling])
    if not found:
        padded = f" {whole} "
        for spelling, venue in ALIASES.items():
            if " " in spelling and f" {spelling} " in padded:
                found.add(venue)
    if len(found) > 1:  # the longest name says most: "NAACL" holds the words of "ACL"
        spellings = [one for one in ALIASES if f" {one} " in f" {whole} "]
        if spellings:
            return frozenset({ALIASES[max(spellings, key=len)]})
    return frozenset(found)


def _strip_numbers(words: Iterable[str]) -> list[str]:
    """Return the words without years and ordinals."""
    kept = []
    for word in words:
        if not _NUMBER.fullmatch(word) and word not in _ORDINAL:
            kept.append(word)
    return kept


def _telling_words(words: Iterable[str]) -> list[str]:
    """Return the words without numbers and words of many venues."""
    named = _strip_numbers(words)
    return [word for word in named if word not in _FILLING]


def _contains(few: Sequence[str], many: Sequence[str]) -> bool:
    """Return whether all of at least two words of a name are in the other, in order, and make up
    half of it.
    """
    if len(few) < 2 or len(few) * 2 < len(many):
        return False
    rest = iter(many)
    return all(word in rest for word in few)


def _is_acronym(short: str, words: Sequence[str]) -> bool:
    """Return whether a short name consists of the initials of a long one."""
    name = _YEAR_AT_END.sub("", short.strip())
    if not _KIND.fullmatch(name) or len(words) < 2:
        return False
    letters = "".join(fold_words(name))
    return 2 <= len(letters) <= 10 and _spells(letters, list(words))


def _spells(letters: str, words: list[str]) -> bool:
    """Return whether letters are the initials of words; only filler words may be skipped."""
    states = {0}
    for word in words:
        following = set()
        for place in states:
            if place < len(letters) and letters[place] == word[0]:
                following.add(place + 1)
            if word in _FILLING:
                following.add(place)
        states = following
    return len(letters) in states


def _is_abbreviation(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether each word abbreviates one of the other name: "Mach Learn Res"."""
    small = ("of", "the", "and", "for", "in", "on", "a", "to", "der", "fur", "de", "la", "section")
    ours = [word for word in short if word not in small]
    theirs = [word for word in long if word not in small]
    if not ours or len(ours) != len(theirs):
        return False
    is_shorter = False
    for left, right in zip(ours, theirs, strict=True):
        ends = (left[0], left[-1])
        is_contraction = 2 <= len(left) <= 5 and ends == (right[0], right[-1])  # "natl"
        if not right.startswith(left) and not is_contraction:
            return False
        is_shorter = is_shorter or left != right
    return is_shorter
