"""Patent numbers parsed and written in the forms of registers; names of assignees compared.

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
OFFICES = COUNTRIES | frozenset("AP EA EP GC OA WO XN CS DD SU YU EM WB".split())  # noqa: SIM905
_NAMES = (
    "USPTO=US EPO=EP WIPO=WO PCT=WO JPO=JP CNIPA=CN SIPO=CN KIPO=KR DPMA=DE UKIPO=GB UK=GB "
    "INPI=FR CIPO=CA EAPO=EA"
)
_OFFICE_NAMES = dict(name.split("=") for name in _NAMES.split())
_LONGEST = 60  # characters of a text that can be a number
# Not at the start, where NO is Norway.
_WORDS = re.compile(
    r"^patents?\b|(?<!^)\b(?:patents?|pat|publication|pub|application|appl?|number|no|nr)\b\.?",
    re.I,
)
_NUMBER = r"(?P<number>(?:RE|PP|AI|D|H|T|S|M)?[0-9]{1,13})"
_KIND = r"(?P<kind>[A-Z][0-9]?)?"
_WRITTEN = re.compile(rf"(?P<office>[A-Z]{{2}}){_NUMBER}{_KIND}")
_PUNCTUATION = re.compile(r"[\s,.\-‐-―/'’_]+")
# Substitutions that give Google's form: leading zeros, missing zeros, years with two digits.
_COMPLETIONS = {
    "US": [(r"^0+(?=[1-9])", ""), (r"^(20\d\d)(\d{6})$", r"\g<1>0\2")],
    "WO": [
        (r"^(?=(?:7[89]|[89]\d)\d{5,6}$)", "19"),
        (r"^(?=0[0-4]\d{5,6}$)", "20"),
        (r"^((?:19[789]|20\d)\d)(\d{5})$", r"\g<1>0\2"),
    ],
    "KR": [(r"^[12]0(20\d{9}|19[89]\d{8})$", r"\1")],
}
# Least digits without and with a kind; shorter numbers are usually something else: US 2020.
_SHORTEST_BARE = 6
_SHORTEST = 5
_GRANT_KINDS = {"US": ("B1", "B2"), "EP": ("B1",), "CN": ("B",)}  # published with the grant

_LEGAL_FORM_LIST = """
ab ag aktiengesellschaft as asa bhd bv co company corp corporation de cv ev gmbh group holding
holdings inc incorporated kabushiki kaisha kg kk kgaa lc limited llc llp lp ltd mbh nv oy oyj plc
pte pty pvt sa sarl sas se spa srl the und and aps doo zrt sro
"""
_LEGAL_FORMS = frozenset(_LEGAL_FORM_LIST.split())
_DOTS = re.compile(r"(?<=\b\w)\.(?=\w\b)")  # L.L.C., S.A.


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
        """Its page on Google Patents, which robots may read, unlike pages of the EPO."""
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
        # In the US, A was a grant until 2001, and so are designs (S), plants (P), reissues (E).
        if self.kind.startswith(("B", "C")) or (self.office == "US" and self.kind):
            return "granted"
        return "application" if self.kind.startswith("A") else None

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
    bare_number = _PUNCTUATION.sub("", _WORDS.sub(" ", named)).upper()
    found = _WRITTEN.fullmatch(bare_number)
    if found is None:
        return None
    digits = sum(map(str.isdigit, found["number"]))
    if digits < (_SHORTEST if found["kind"] else _SHORTEST_BARE):
        return None
    return number_of(found["office"], found["number"], found["kind"] or "")


def number_of(office: str, number: str, kind: str = "") -> PatentNumber | None:
    """Return a publication from the parts that a register gives, or None."""
    office = office.strip().upper()
    number = _PUNCTUATION.sub("", number).upper()
    kind = kind.strip().upper()
    is_valid = re.fullmatch(_NUMBER, number) and re.fullmatch(_KIND, kind)
    if office not in OFFICES or not is_valid:
        return None
    for pattern, form in _COMPLETIONS.get(office, ()):
        number = re.sub(pattern, form, number)
    if office == "EP" and number.isdigit():
        number = number.zfill(7)
    return PatentNumber(office, number, kind)


@dataclass(frozen=True)
class Cluster:
    """An assignee with the number of its patents and their share."""

    assignee: str
    count: int
    share: float


def assignee_key(name: str) -> str:
    """Return a key that is equal for all spellings of a name: without legal form, country, accents
    and punctuation.
    """
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
        best = min(names, key=lambda name: (-names[name], name.isupper(), name))
        share = round(names.total() / len(patents), 3)
        clusters.append(Cluster(best, names.total(), share))
    return clusters
