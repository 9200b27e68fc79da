"""Patent numbers parsed, and written in the forms of registers.

A publication has an office (two letters), a number and a kind (A1, B2), which is often left out:

    people  US 10,123,456 B2  US 2019/0123456 A1  EP 1 234 567 B1  WO 99/12345   JP H07-123456 A
    Google  US10123456B2      US20190123456A1     EP1234567B1      WO1999012345  JPH07123456A
    DOCDB   US.10123456.B2    US.2019123456.A1    EP.1234567.B1    WO.9912345    JP.H07123456.A
    epodoc  US10123456        US2019123456        EP1234567        WO9912345     JPH07123456

Google's form is stored, because it is complete. Numbers of applications (PCT/US2019/012345) and
bare digits are not publication numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webquarry._search.codes import COUNTRIES
from webquarry._search.text import normalize_letters
from webquarry.errors import BadInput

# Regional offices, and former countries.
_OTHER_OFFICES = "AP EA EP GC OA WO XN CS DD SU YU EM WB"
OFFICES = COUNTRIES | frozenset(_OTHER_OFFICES.split())
_NAMES = (
    "USPTO=US EPO=EP WIPO=WO PCT=WO JPO=JP CNIPA=CN SIPO=CN KIPO=KR DPMA=DE UKIPO=GB UK=GB "
    "INPI=FR CIPO=CA EAPO=EA"
)
_OFFICE_NAMES = dict(name.split("=") for name in _NAMES.split())
_LONGEST = 60  # characters of a text that can be a number
# Not at the beginning, where NO is Norway.
_WORDS = re.compile(
    r"^patents?\b|(?<!^)\b(?:patents?|pat|publication|pub|application|appl?|number|no|nr)\b\.?",
    re.I,
)
_NUMBER = r"(?P<number>(?:RE|PP|AI|D|H|T|S|M)?[0-9]{1,13})"
_KIND = r"(?P<kind>[A-Z][0-9]?)?"
_WRITTEN = re.compile(rf"(?P<office>[A-Z]{{2}}){_NUMBER}{_KIND}")
_PUNCTUATION = re.compile(r"[\s,.\-‐-―/'’_]+")
_US_APPLICATION = re.compile(r"(20[0-9]{2})(0?)([0-9]{6})|(20[0-9]{2})([0-9]{7})")
# With two digits of the year, until 2004.
_WO_SHORT = re.compile(r"(7[89]|[89][0-9]|0[0-4])([0-9]{5,6})")
_WO_LONG = re.compile(r"(19[789][0-9]|20[0-9]{2})([0-9]{5,6})")
_KR_APPLICATION = re.compile(r"^[12]0(20[0-9]{2}[0-9]{7}|19[89][0-9][0-9]{7})\Z")
# Digits without and with a kind; fewer are more often something else: US 2020.
_SHORTEST_BARE = 6
_SHORTEST = 5
# Kinds that are published on the day of the grant.
_GRANT_KINDS = {"US": ("B1", "B2"), "EP": ("B1",), "CN": ("B",)}


@dataclass(frozen=True, order=True)
class PatentNumber:
    """One publication; without a kind, any with the number."""

    office: str
    number: str  # as Google writes it: years in four digits, serial numbers with their zeros
    kind: str = ""

    @property
    def google(self) -> str:
        """In one word, as in URLs of Google Patents; our own form."""
        return f"{self.office}{self.number}{self.kind}"

    @property
    def docdb(self) -> str:
        """With dots between the parts, for EPO OPS."""
        return ".".join(filter(None, [self.office, self.docdb_number, self.kind]))

    @property
    def epodoc(self) -> str:
        """Without the kind, for EPO OPS."""
        return f"{self.office}{self.docdb_number}"

    @property
    def docdb_number(self) -> str:
        """The number of the EPO: US applications lose a zero, old WO numbers the century."""
        is_old_wo = self.office == "WO" and self.number[:4] < "2004"
        if not (is_old_wo or self.is_us_application):
            return self.number
        year = self.number[2:4] if is_old_wo else self.number[:4]
        return year + self.number[4:].removeprefix("0")

    @property
    def is_us_application(self) -> bool:
        """Whether it is a US application: a year and seven digits."""
        return self.office == "US" and len(self.number) == 11

    @property
    def url(self) -> str:
        """Its page on Google Patents, which programs may read, unlike pages of the EPO."""
        return f"https://patents.google.com/patent/{self.google}/en"

    @property
    def published_year(self) -> int | None:
        """The year of publication, if the number states it."""
        if self.office == "WO" or self.is_us_application:
            return int(self.number[:4])
        return None

    @property
    def stage(self) -> str | None:
        """`granted` or `application`, if the kind states it."""
        if self.office == "WO" or self.is_us_application:
            return "application"
        if self.kind.startswith(("B", "C")):
            return "granted"
        # A alone was a grant until 2001, and so are designs (S), plants (P), reissues (E).
        if self.office == "US":
            return "granted" if self.kind else None
        if self.kind.startswith("A"):
            return "application"
        return None

    @property
    def is_dated_by_grant(self) -> bool:
        """Whether the date of publication is that of the grant."""
        if self.office == "US" and self.stage == "granted":
            return True
        return self.kind in _GRANT_KINDS.get(self.office, ())

    def covers(self, other: PatentNumber) -> bool:
        """Return whether the other number is meant; without a kind, any kind is."""
        if (self.office, self.number) != (other.office, other.number):
            return False
        return self.kind in ("", other.kind)


def office_code(value: str) -> str | None:
    """Return the two letters of an office, given them or its name; None for all offices."""
    code = value.strip().upper()
    code = _OFFICE_NAMES.get(code, code)
    if code in ("", "ALL", "ANY"):
        return None
    if code not in OFFICES:
        raise BadInput(
            f"The patent_office {value[:20]!r} is not known.",
            suggested_action="Give its two letters, such as US, EP, WO, DE, JP, CN or KR, or all.",
        )
    return code


def read_number(text: str) -> PatentNumber | None:
    """Return the number that a text consists of, or None."""
    if len(text) > _LONGEST or not text.strip():
        return None
    named = re.sub(r"(?i)\bU\.\s?S\.", "US ", text.strip())
    wordless = _WORDS.sub(" ", named)
    bare = _PUNCTUATION.sub("", wordless).upper()
    found = _WRITTEN.fullmatch(bare)
    if found is None or found["office"] not in OFFICES:
        return None
    shortest = _SHORTEST if found["kind"] else _SHORTEST_BARE
    digits = sum(map(str.isdigit, found["number"]))
    if digits < shortest:
        return None
    return number_of(found["office"], found["number"], found["kind"] or "")


def number_of(office: str, number: str, kind: str = "") -> PatentNumber | None:
    """Return a publication from the parts that a register gives."""
    office = office.strip().upper()
    number = _PUNCTUATION.sub("", number).upper()
    kind = kind.strip().upper()
    if office not in OFFICES:
        return None
    if not re.fullmatch(_NUMBER, number) or not re.fullmatch(_KIND, kind):
        return None
    if office == "US":
        number = _complete_us(number)
    elif office == "WO":
        number = _complete_wo(number)
    elif office == "KR":
        number = _KR_APPLICATION.sub(r"\1", number)
    elif office == "EP" and number.isdigit():
        number = number.zfill(7)
    return PatentNumber(office, number, kind)


def _complete_us(number: str) -> str:
    """Return a number with the zero that some leave out of applications (year, seven digits)."""
    found = _US_APPLICATION.fullmatch(number)
    if found and found[1]:
        return f"{found[1]}0{found[3]}"
    if found:
        return f"{found[4]}{found[5]}"
    if number.isdigit():
        return number.lstrip("0") or number
    return number


def _complete_wo(number: str) -> str:
    """Return a number with a year of four digits and a serial number of six."""
    found = _WO_LONG.fullmatch(number)
    if found:
        return found[1] + found[2].zfill(6)
    found = _WO_SHORT.fullmatch(number)
    if found:
        century = "19" if found[1] >= "78" else "20"
        return century + found[1] + found[2].zfill(6)
    return number


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
