"""Compare a reference with records: whether they are one work, and which fields agree.

A title alone identifies nothing: another work may have nearly the same one. A record found by its
title is the work only with an author in common, or with year and venue in common. The fields of a
sentence are guesses, so the words of the record are also looked for in the whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Literal

from webquarry._search.scholarly.models import ARXIV_DOI, Author, Record
from webquarry.verify.references.models import (
    Agreement,
    FieldCheck,
    Reference,
    ReferenceEvidence,
)
from webquarry.verify.references.people import AuthorMatch, is_group, match_authors
from webquarry.verify.references.read import is_valid_isbn
from webquarry.verify.references.text import (
    TitleMatch,
    compare_titles,
    fold_letters,
    fold_words,
    name_differences,
)
from webquarry.verify.references.venues import classify_venue, compare_venues

SEARCHES = frozenset({"title", "text"})
# The registration agencies of identifiers; the other indexes collect records.
AGENCIES = frozenset(
    {"crossref", "datacite", "arxiv", "pubmed", "europepmc", "openlibrary", "rfceditor"}
)
# The identifier that a record of these was found by.
_IDENTIFIER_OF = {"arxiv": "arxiv", "pubmed": "pmid", "europepmc": "pmid", "openlibrary": "isbn"}
_PREPRINT_SERVERS = frozenset({"arxiv", "datacite"})
_MAX_PREPRINT_DAYS = 180  # in which a publication may be missing from the indexes
ENOUGH_WITNESSES = 2
_SHORT_TITLE = 3  # words; shorter ones are the titles of many works
_MAX_SHOWN = 8  # authors
_YEAR_SLACK = 1

Identity = Literal["same", "same_misnamed", "maybe", "other"]


@dataclass(frozen=True)
class Comparison:
    """One record compared with the reference."""

    record: Record
    title: TitleMatch
    authors: AuthorMatch | None  # None: missing on one side
    year: Agreement
    venue: Agreement
    shares_author: bool


@dataclass
class Findings:
    """The records of one reference by the work that they describe."""

    same: list[Comparison] = field(default_factory=list)  # of the cited work
    foreign: list[Comparison] = field(default_factory=list)  # with its identifier, of another work
    maybe: list[Comparison] = field(default_factory=list)  # found by the title, uncertain
    checks: list[FieldCheck] = field(default_factory=list)
    is_registered: bool | None = None  # the DOI; None: unknown
    by_number: bool = False  # a record of the work was found by its identifier

    @property
    def differing(self) -> list[FieldCheck]:
        return [check for check in self.checks if check.agrees == "no"]

    @property
    def records(self) -> list[Record]:
        return [comparison.record for comparison in self.same]

    def sources(self) -> list[str]:
        """The indexes that have the work."""
        return list(dict.fromkeys(record.source for record in self.records))

    def is_unpublished_at(self, reference: Reference) -> bool:
        """Return whether no record says if the work appeared at the cited venue."""
        venue = next((check for check in self.checks if check.field == "venue"), None)
        is_open = venue is not None and venue.agrees == "not_checked"
        return is_open and classify_venue(reference.venue) == "venue"

    @property
    def is_preprint_only(self) -> bool:
        """Whether all records are of a preprint."""
        return bool(self.same) and all(map(_is_preprint, self.records))


def weigh(evidence: ReferenceEvidence, today: date) -> Findings:
    """Sort the records by the work that they describe and compare each field."""
    reference = evidence.reference
    findings = Findings(is_registered=_read_registration(evidence))
    own = {reference.doi, reference.other_doi, reference.arxiv_id, reference.pmid}
    own |= {reference.pmcid, reference.isbn, reference.rfc, f"{ARXIV_DOI}{reference.arxiv_id}"}
    numbered: list[Comparison] = []
    misnamed: list[Comparison] = []
    for reply in evidence.replies:
        if reply.index in ("doi", "wayback") or reply.question.topic == "updates":
            continue
        by_title = reply.question.value not in own
        for record in reply.records:
            comparison = compare_work(reference, record, today.year)
            identity = _identify(reference, comparison, by_title=by_title)
            if identity == "same":
                findings.same.append(comparison)
                findings.by_number = findings.by_number or not by_title
            elif identity == "same_misnamed":
                (misnamed if by_title else numbered).append(comparison)
            elif not by_title:
                findings.foreign.append(comparison)
            elif identity == "maybe":
                findings.maybe.append(comparison)
    _add_misnamed(findings, numbered, misnamed)
    findings.checks = _check_fields(reference, findings.same, today.year)
    if findings.by_number:
        findings.checks += [_check_number(reference, one.record) for one in findings.foreign]
    elif reference.isbn and findings.same and not is_valid_isbn(reference.isbn):
        note = "the check digit is wrong"
        findings.checks.append(FieldCheck("isbn", "no", reference.isbn, note=note))
    return findings


def _add_misnamed(
    findings: Findings, numbered: Sequence[Comparison], misnamed: Sequence[Comparison]
) -> None:
    """Add records with the identifier but another title, unless the agency has a better one;
    records with a near title are added if nothing better was found.
    """
    has_own_title = any(one.record.source in AGENCIES for one in findings.same)
    if numbered and not (has_own_title and findings.by_number):
        findings.same += numbered
        findings.by_number = True
    if findings.same or findings.foreign:
        findings.maybe += misnamed
    else:
        findings.same += misnamed
    if findings.by_number:  # other indexes may have mixed up two works
        findings.foreign = [one for one in findings.foreign if one.record.source in AGENCIES]


def compare_work(reference: Reference, record: Record, this_year: int) -> Comparison:
    """Compare all fields of a reference with a record."""
    authors = None
    if reference.authors and record.authors:
        authors = match_authors(reference.authors, record.authors)
    shares_author = authors is not None and authors.common > 0
    title = compare_titles(reference.title, record.titles)
    venue = compare_venues(reference.venue, record.venues)
    if venue != "yes" and _is_remarked(reference, record):
        venue = "yes"
    if reference.is_free_text:
        title = _find_title(reference, record) or title
        venue = _compare_sentence_venue(reference, record, title.title)
        shares_author = shares_author or _names_author(reference, record)
    year = _compare_years(reference.year, record.years, this_year)
    return Comparison(record, title, authors, year, venue, shares_author)


def _identify_by_number(reference: Reference, comparison: Comparison) -> Identity:
    """Return whether a record found by the identifier of the reference is of the cited work."""
    likeness = comparison.title.likeness
    if likeness in ("same", "short") or not comparison.record.titles:
        return "same"
    if not reference.title:
        is_same = comparison.authors is None or comparison.shares_author
        return "same" if is_same else "same_misnamed"
    return "same_misnamed" if comparison.shares_author or likeness == "near" else "other"


def _identify(reference: Reference, comparison: Comparison, *, by_title: bool) -> Identity:
    """Return whether a record is of the cited work."""
    likeness = comparison.title.likeness
    authors = comparison.authors
    if not by_title:
        return _identify_by_number(reference, comparison)
    if likeness == "same":
        is_long = len(fold_words(comparison.title.title)) > _SHORT_TITLE
        is_likely = is_long and (
            comparison.year == "yes" or (authors is None and comparison.year != "no")
        )
        shares_place = comparison.year == comparison.venue == "yes"
        return "same" if comparison.shares_author or shares_place or is_likely else "maybe"
    if likeness == "short":
        return "same" if comparison.shares_author else "maybe"
    if likeness == "other":
        return "other"
    has_same_people = authors is not None and not authors.strangers
    if has_same_people and comparison.year == "yes" and comparison.venue != "no":
        return "same_misnamed"
    return "maybe" if comparison.shares_author else "other"


_REMARK_PARTS = re.compile(
    r"[,;.()]|\b(?:accepted|published|appear|appeared|presented|at|in|to|by)\b", re.IGNORECASE
)


def _is_remarked(reference: Reference, record: Record) -> bool:
    """Return whether the authors of a preprint state that it was accepted at the cited venue."""
    if not record.remarks or not reference.venue:
        return False
    pieces = map(str.strip, _REMARK_PARTS.split(record.remarks))
    return compare_venues(reference.venue, filter(None, pieces)) == "yes"


def _check_fields(
    reference: Reference, comparisons: Sequence[Comparison], this_year: int
) -> list[FieldCheck]:
    """Return a check of each field of the reference: it agrees if one record agrees, and differs if
    records have the field and none agrees.
    """
    checks: list[FieldCheck] = []
    if reference.title:
        unknown = FieldCheck("title", "not_checked", reference.title)
        checks.append(_pick(unknown, [_check_title(reference, one) for one in comparisons]))
    if reference.authors:
        unknown = FieldCheck("author", "not_checked", _shorten_names(reference.authors))
        if reference.is_shortened and len(reference.authors) <= _MAX_SHOWN:
            unknown = replace(unknown, given=f"{unknown.given} et al.")
        checks.append(_pick(unknown, [_check_authors(reference, one) for one in comparisons]))
    if reference.year is not None:
        checks.append(_check_year(reference, comparisons, this_year))
    if reference.venue and classify_venue(reference.venue) != "none":
        unknown = FieldCheck("venue", "not_checked", reference.venue)
        checks.append(_pick(unknown, map(_check_venue, comparisons)))
    return checks


def _pick(unknown: FieldCheck, checks: Iterable[FieldCheck]) -> FieldCheck:
    """Return the first check that agrees, otherwise the first that differs."""
    by_agreement = {check.agrees: check for check in reversed(list(checks))}
    chosen = by_agreement.get("yes") or by_agreement.get("no")
    return replace(chosen, given=unknown.given) if chosen else unknown


def _check_title(reference: Reference, one: Comparison) -> FieldCheck:
    likeness = one.title.likeness
    title = one.title.title or one.record.title
    agreeing = FieldCheck("title", "yes", "", title, one.record.source)
    if likeness == "same":
        return agreeing
    if likeness == "short" and (one.shares_author or one.authors is None):
        return replace(agreeing, note="only one side has the subtitle")
    is_sure = len(fold_words(reference.title)) > 2 or likeness == "near"
    if not title or not (is_sure or not reference.is_free_text):
        return replace(agreeing, agrees="not_checked")
    return replace(agreeing, agrees="no", note=name_differences(reference.title, title))


def _check_authors(reference: Reference, one: Comparison) -> FieldCheck:
    match = one.authors
    names = _shorten_names(one.record.authors)
    agreeing = FieldCheck("author", "yes", "", names, one.record.source)
    if match is None:
        return replace(agreeing, agrees="not_checked")
    strangers = [name for name in match.strangers if not is_group(name)]
    missing = [name for name in match.missing if not is_group(name)]
    is_whole = not missing or reference.is_shortened or len(strangers) < len(match.strangers)
    if not strangers and is_whole:
        return agreeing
    # Authors of a sentence are certain only with family names and initials.
    are_sure = all(author.family and author.given for author in reference.authors)
    if reference.is_free_text and not are_sure:
        return replace(agreeing, agrees="not_checked")
    return replace(agreeing, agrees="no", note=_describe_authors(match))


def _describe_authors(match: AuthorMatch) -> str:
    if not match.strangers:
        return f"{match.given} of {match.recorded} authors, without a mark that there are more"
    if match.common:
        return f"not in the record: {_shorten_names([Author(name) for name in match.strangers])}"
    return "no author in common"


def _check_year(
    reference: Reference, comparisons: Sequence[Comparison], this_year: int
) -> FieldCheck:
    years = [year for one in comparisons for year in one.record.years]
    sources = dict.fromkeys(one.record.source for one in comparisons if one.record.years)
    agrees = _compare_years(reference.year, years, this_year)
    is_preprint_only = bool(comparisons) and all(one.record.is_preprint for one in comparisons)
    is_later = bool(years) and max(years) < (reference.year or 0) <= this_year
    if is_preprint_only and is_later and classify_venue(reference.venue) == "venue":
        agrees = "not_checked"  # the year of a publication without a record
    stated = " to ".join(map(str, dict.fromkeys([min(years), max(years)]))) if years else ""
    return FieldCheck("year", agrees, str(reference.year), stated, ", ".join(sources))


def _check_venue(one: Comparison) -> FieldCheck:
    names = list(one.record.venues)
    if one.venue == "no":
        names = [name for name in names if classify_venue(name) == "venue"]
    return FieldCheck("venue", one.venue, "", next(iter(names), ""), one.record.source)


def _shorten_names(authors: Sequence[Author]) -> str:
    """Return names on one line, the first ones of many and their number."""
    shown = "; ".join(author.written for author in authors[:_MAX_SHOWN])
    return f"{shown}; ... ({len(authors)} authors)" if len(authors) > _MAX_SHOWN else shown


def _compare_years(given: int | None, years: Iterable[int], this_year: int) -> Agreement:
    """Return whether the year is within the stated years plus one; later years differ."""
    stated = [year for year in years if 1000 <= year <= this_year + _YEAR_SLACK]
    if given is None or not stated:
        return "not_checked"
    is_within = min(stated) - _YEAR_SLACK <= given <= max(stated) + _YEAR_SLACK
    return "yes" if is_within and given <= this_year + _YEAR_SLACK else "no"


# Text after a title that does not belong to the venue.
_DETAILS = re.compile(
    r"(?:available at|retrieved from|accessed)?[:\s]{0,3}https?://\S+|\bdoi:?\s{0,3}10\.\S+"
    r"|\bPM(?:ID|CID):?\s{0,3}\w+|\barxiv:\S+"
    r"|[,(\s]{0,4}(?:\bvol\b|\bpp?\.|\bno\.|\d{1,4}\s?\(|\b\d{1,4}[:,]\s?\d|\b\d{1,5}[-–]\d)"
    r".{0,400}$|\(?\b(?:1[5-9]\d\d|20\d\d)[a-z]?\b\)?",
    re.IGNORECASE | re.DOTALL,
)
_MAX_SENTENCE = 4_000
_MAX_PIECES = 8
_MAX_VENUE_WORDS = 9
_MIN_TITLE_LETTERS = 12


def _find_title(reference: Reference, record: Record) -> TitleMatch | None:
    """Return the title of a record that is in the sentence, if any."""
    sentence = fold_letters(reference.text)
    for title in record.titles:
        letters = fold_letters(title)
        if len(letters) >= _MIN_TITLE_LETTERS and letters in sentence:
            return TitleMatch("same", title)
    return None


def _names_author(reference: Reference, record: Record) -> bool:
    """Return whether the sentence has the family name of a first author of the record."""
    words = set(fold_words(reference.text))
    names = [fold_words(one.family or one.written)[-1:] for one in record.authors[:_MAX_SHOWN]]
    return any(len(word) > 2 and word in words for name in names for word in name)


def _compare_sentence_venue(reference: Reference, record: Record, title: str) -> Agreement:
    """Return whether the text after the title is a venue of the record; unclear text is not
    checked.
    """
    words = [re.escape(word) for word in re.findall(r"\w+", title)]
    sentence = reference.text[:_MAX_SENTENCE]
    found = re.search(r"\W{1,6}".join(words), sentence, re.IGNORECASE) if words else None
    if found is None:
        return "not_checked"
    tail = _DETAILS.sub(" ", sentence[found.end() :])
    tail = " ".join(tail.split()).strip(" ,.;:()\"“”'")
    pieces = [piece.strip() for piece in re.split(r"[.,;:]\s+", tail)][:_MAX_PIECES]
    parts = [
        " ".join(pieces[start:end])
        for start in range(len(pieces))
        for end in range(start + 1, len(pieces) + 1)
    ]
    if any(compare_venues(part, record.venues) == "yes" for part in (tail, *parts)):
        return "yes"
    is_name = len(tail.split()) <= _MAX_VENUE_WORDS and not any(map(str.isdigit, tail))
    return compare_venues(tail, record.venues) if is_name else "not_checked"


def _check_number(reference: Reference, record: Record) -> FieldCheck:
    """Return the check of an identifier that is registered for another work."""
    name = _IDENTIFIER_OF.get(record.source, "doi")
    given = getattr(reference, "arxiv_id" if name == "arxiv" else name)
    return FieldCheck(name, "no", given, record.title, record.source, "identifies another work")


def _read_registration(evidence: ReferenceEvidence) -> bool | None:
    """Return whether the DOI is registered, None if unknown."""
    asked = [one for one in evidence.replies if one.index == "doi" and not one.failure]
    for reply in evidence.replies:
        is_own = reply.index == "doi" or reply.index in AGENCIES
        if is_own and reply.question.topic == "doi" and reply.records:
            return True
    return False if asked else None


def is_settled(findings: Findings, check: FieldCheck) -> bool:
    """Return whether at least two indexes contradict a field."""
    return len({one.record.source for one in findings.same if _contradicts(one, check.field)}) > 1


def _contradicts(comparison: Comparison, name: str) -> bool:
    if name == "title":
        return comparison.title.likeness not in ("same", "short")
    if name == "author":
        return comparison.authors is not None
    if name == "year":
        return comparison.year == "no"
    return name != "venue" or comparison.venue == "no"


def _is_preprint(record: Record) -> bool:
    kinds = {classify_venue(name) for name in record.venues}
    return record.is_preprint or ("repository" in kinds and "venue" not in kinds)


def preprint_witnesses(findings: Findings, today: date) -> list[str]:
    """Return the indexes other than preprint servers that have the work as a preprint only; none
    for recent works.
    """
    recent = (today - timedelta(days=_MAX_PREPRINT_DAYS)).isoformat()
    dates = [record.date for record in findings.records if record.date]
    if dates and min(dates) > recent:
        return []
    return sorted({one.source for one in findings.records} - _PREPRINT_SERVERS)
