"""A reference and a record: whether they are one work, and which fields agree.

A title alone identifies nothing: another work may have nearly the same one. A record found by its
title is the work only with an author in common, or with year and venue in common. The fields of a
sentence are guesses, so the words of the record are also looked for in the whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from webquarry._search.scholarly.models import Record
from webquarry.verify.references.models import Agreement, FieldCheck, Reference
from webquarry.verify.references.people import AuthorMatch, is_group, match_authors
from webquarry.verify.references.text import fold_letters, fold_words
from webquarry.verify.references.titles import TitleMatch, compare_titles, name_differences
from webquarry.verify.references.venues import classify_venue, compare_venues

Identity = Literal["same", "same_misnamed", "maybe", "other"]
_SHORT_TITLE = 3  # words; shorter ones are the titles of many works
_MOST_SHOWN = 8  # authors
_REMARK_PARTS = re.compile(
    r"[,;.()]|\b(?:accepted|published|appear|appeared|presented|at|in|to|by)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Comparison:
    """One record compared with the reference."""

    record: Record
    title: TitleMatch
    authors: AuthorMatch | None  # None: not stated on one side
    year: Agreement
    venue: Agreement
    has_title: bool = True  # the reference says what the work is called
    names_author: bool = False  # the sentence has the name of one of the record's authors

    @property
    def shares_author(self) -> bool:
        has_common = self.authors is not None and self.authors.common > 0
        return has_common or self.names_author

    @property
    def agrees_on_authors(self) -> bool:
        return self.authors is not None and not self.authors.strangers


def compare_work(reference: Reference, record: Record, this_year: int) -> Comparison:
    """Compare all fields of a reference with a record."""
    authors = None
    if reference.authors and record.authors:
        authors = match_authors(reference.authors, record.authors)
    title = compare_titles(reference.title, record.titles)
    venue = compare_venues(reference.venue, record.venues)
    if venue != "yes" and is_remarked(reference, record):
        venue = "yes"
    if reference.is_free_text:
        title = find_title(reference, record) or title
        venue = compare_sentence_venue(reference, record, title.title)
    return Comparison(
        record,
        title,
        authors,
        compare_years(reference.year, record.years, this_year),
        venue,
        has_title=bool(reference.title),
        names_author=reference.is_free_text and names_author(reference, record),
    )


def identify(comparison: Comparison, *, by_title: bool) -> Identity:
    """Return whether a record is of the cited work."""
    likeness = comparison.title.likeness
    if not by_title:
        return _identify_by_number(comparison)
    if likeness == "other":
        return "other"
    shares_place = comparison.year == "yes" and comparison.venue == "yes"
    if likeness == "same":
        if comparison.shares_author or shares_place:
            return "same"
        if comparison.authors is None and comparison.year != "no" and _is_telling(comparison):
            return "same"
        if comparison.year == "yes" and _is_telling(comparison):
            return "same"
        return "maybe"
    if likeness == "short":
        return "same" if comparison.shares_author else "maybe"
    has_same_people = comparison.authors is not None and not comparison.authors.strangers
    if has_same_people and comparison.year == "yes" and comparison.venue != "no":
        return "same_misnamed"
    return "maybe" if comparison.shares_author else "other"


def _identify_by_number(comparison: Comparison) -> Identity:
    """Return the same for a record found by the identifier of the reference."""
    if comparison.title.likeness in ("same", "short") or not comparison.record.titles:
        return "same"
    if not comparison.has_title:
        is_stranger = comparison.authors is not None and not comparison.shares_author
        return "same_misnamed" if is_stranger else "same"
    if comparison.shares_author or comparison.title.likeness == "near":
        return "same_misnamed"
    return "other"


def _is_telling(comparison: Comparison) -> bool:
    """Return whether a title is long enough to identify a work."""
    return len(fold_words(comparison.title.title)) > _SHORT_TITLE


def is_remarked(reference: Reference, record: Record) -> bool:
    """Return whether the authors of a preprint state that it was accepted at the cited venue."""
    if not record.remarks or not reference.venue:
        return False
    pieces = [piece.strip() for piece in _REMARK_PARTS.split(record.remarks)]
    return compare_venues(reference.venue, [piece for piece in pieces if piece]) == "yes"


def check_fields(
    reference: Reference, comparisons: Sequence[Comparison], this_year: int
) -> list[FieldCheck]:
    """Return a check of each field of the reference: it agrees if one record agrees, and differs if
    records have the field and none agrees.
    """
    checks: list[FieldCheck] = []
    if reference.title:
        checks.append(_check_title(reference, comparisons))
    if reference.authors:
        checks.append(_check_authors(reference, comparisons))
    if reference.year is not None:
        checks.append(_check_year(reference, comparisons, this_year))
    if reference.venue and classify_venue(reference.venue) != "none":
        checks.append(_check_venue(reference, comparisons))
    return checks


def _check_title(reference: Reference, comparisons: Iterable[Comparison]) -> FieldCheck:
    worst = FieldCheck("title", "not_checked", reference.title)
    for one in comparisons:
        if not one.record.titles:
            continue
        title = one.title.title or one.record.title
        source = one.record.source
        if one.title.likeness == "same":
            return FieldCheck("title", "yes", reference.title, title, source)
        if one.title.likeness == "short" and (one.shares_author or one.authors is None):
            note = "the subtitle stands on one side only"
            return FieldCheck("title", "yes", reference.title, title, source, note)
        if reference.is_free_text and not _is_sure_of_title(reference, one):
            continue
        if worst.agrees == "not_checked":
            note = name_differences(reference.title, title)
            worst = FieldCheck("title", "no", reference.title, title, source, note)
    return worst


def _is_sure_of_title(reference: Reference, comparison: Comparison) -> bool:
    """Return whether the title of a sentence is certain enough to be held against it."""
    return len(fold_words(reference.title)) > 2 or comparison.title.likeness == "near"


def _check_authors(reference: Reference, comparisons: Sequence[Comparison]) -> FieldCheck:
    given = shorten_names([author.written for author in reference.authors], reference.is_shortened)
    worst = FieldCheck("author", "not_checked", given)
    for one in comparisons:
        match = one.authors
        if match is None:
            continue
        names = shorten_names([author.written for author in one.record.authors])
        strangers = [name for name in match.strangers if not is_group(name)]
        missing = [name for name in match.missing if not is_group(name)]
        is_whole = not missing or reference.is_shortened or len(strangers) < len(match.strangers)
        if not strangers and is_whole:
            return FieldCheck("author", "yes", given, names, one.record.source)
        note = _describe_authors(match)
        if worst.agrees == "not_checked":
            worst = FieldCheck("author", "no", given, names, one.record.source, note)
    # The authors of a sentence were told apart where each has a family name and initials.
    are_sure = all(author.family and author.given for author in reference.authors)
    if worst.agrees == "no" and reference.is_free_text and not are_sure:
        return replace(worst, agrees="not_checked")
    return worst


def _describe_authors(match: AuthorMatch) -> str:
    if match.strangers and match.common:
        return f"not in the record: {shorten_names(match.strangers)}"
    if match.strangers:
        return "no author in common"
    return f"{match.given} of {match.recorded} authors, without a mark that there are more"


def _check_year(
    reference: Reference, comparisons: Sequence[Comparison], this_year: int
) -> FieldCheck:
    years: list[int] = []
    sources: list[str] = []
    for one in comparisons:
        if one.record.years:
            years += one.record.years
            sources.append(one.record.source)
    agrees = compare_years(reference.year, years, this_year)
    is_preprint_only = bool(comparisons) and all(one.record.is_preprint for one in comparisons)
    if agrees == "no" and is_preprint_only and _may_be_published_later(reference, years, this_year):
        agrees = "not_checked"
    stated = ""
    if years:
        ends = dict.fromkeys([min(years), max(years)])
        stated = " to ".join(map(str, ends))
    named = ", ".join(dict.fromkeys(sources))
    return FieldCheck("year", agrees, str(reference.year), stated, named)


def _may_be_published_later(reference: Reference, years: Sequence[int], this_year: int) -> bool:
    """Return whether the year may be that of a publication without a record."""
    if not reference.venue or classify_venue(reference.venue) != "venue":
        return False
    year = reference.year or 0
    return max(years) < year <= this_year


def _check_venue(reference: Reference, comparisons: Sequence[Comparison]) -> FieldCheck:
    worst = FieldCheck("venue", "not_checked", reference.venue)
    for one in comparisons:
        named = next(iter(one.record.venues), "")
        if one.venue == "yes":
            return FieldCheck("venue", "yes", reference.venue, named, one.record.source)
        if one.venue == "no" and worst.agrees == "not_checked":
            venues = [name for name in one.record.venues if classify_venue(name) == "venue"]
            worst = FieldCheck("venue", "no", reference.venue, venues[0], one.record.source)
    return worst


def shorten_names(names: Sequence[str], is_shortened: bool = False) -> str:
    """Return names on one line, the first ones of many and their number."""
    shown = "; ".join(names[:_MOST_SHOWN])
    if len(names) > _MOST_SHOWN:
        return f"{shown}; ... ({len(names)} authors)"
    return f"{shown} et al." if is_shortened else shown


_ADDRESS = re.compile(
    r"(?:available at|retrieved from|accessed)?[:\s]{0,3}https?://\S+|\bdoi:?\s{0,3}10\.\S+"
    r"|\bPM(?:ID|CID):?\s{0,3}\w+|\barxiv:\S+",
    re.IGNORECASE,
)
_DETAILS = re.compile(
    r"[,(\s]{0,4}(?:\bvol\b|\bpp?\.|\bno\.|\d{1,4}\s?\(|\b\d{1,4}[:,]\s?\d|\b\d{1,5}[-–]\d)"
    r".{0,400}$",
    re.IGNORECASE | re.DOTALL,
)
_YEAR = re.compile(r"\(?\b(?:1[5-9]\d\d|20\d\d)[a-z]?\b\)?")
_PIECES = re.compile(r"[.,;:]\s+")
_LEADING = re.compile(r"^\W{0,9}(?:in\b:?\s+)?", re.IGNORECASE)
_LONGEST = 4_000
_MOST_PIECES = 8
_MOST_VENUE_WORDS = 9  # more are no name of a venue alone
_LEAST_LETTERS = 12


def find_title(reference: Reference, record: Record) -> TitleMatch | None:
    """Return the title of a record that is in the sentence, if any."""
    sentence = fold_letters(reference.text)
    for title in record.titles:
        letters = fold_letters(title)
        if len(letters) >= _LEAST_LETTERS and letters in sentence:
            return TitleMatch("same", title, 1.0)
    return None


def names_author(reference: Reference, record: Record, most: int = 8) -> bool:
    """Return whether the sentence has the family name of a first author of the record."""
    words = set(fold_words(reference.text))
    for author in record.authors[:most]:
        family = fold_words(author.family or author.written)[-1:]
        if family and len(family[0]) > 2 and family[0] in words:
            return True
    return False


def compare_sentence_venue(reference: Reference, record: Record, title: str) -> Agreement:
    """Return whether the text after the title is a venue of the record; unclear text is not
    checked.
    """
    tail = _find_tail(reference.text, title)
    if tail is None:
        return "not_checked"
    for part in [tail, *_list_parts(tail)]:
        if compare_venues(part, record.venues) == "yes":
            return "yes"
    words = tail.split()
    is_name = 0 < len(words) <= _MOST_VENUE_WORDS and not any(map(str.isdigit, tail))
    if not is_name:
        return "not_checked"
    return compare_venues(tail, record.venues)


def _find_tail(sentence: str, title: str) -> str | None:
    """Return the text after a title without addresses, volume, pages and year."""
    words = [re.escape(word) for word in re.findall(r"\w+", title)]
    if not words:
        return None
    found = re.search(r"\W{1,6}".join(words), sentence[:_LONGEST], re.IGNORECASE)
    if found is None:
        return None
    behind = _ADDRESS.sub(" ", sentence[found.end() : _LONGEST])
    behind = _YEAR.sub(" ", _DETAILS.sub("", behind))
    return " ".join(_LEADING.sub("", behind).split()).strip(" ,.;:()\"“”'")


def _list_parts(tail: str) -> Sequence[str]:
    """Return the parts of a tail, alone and with their neighbours."""
    pieces = [piece.strip() for piece in _PIECES.split(tail)][:_MOST_PIECES]
    parts = []
    for start in range(len(pieces)):
        for end in range(start + 1, len(pieces) + 1):
            parts.append(" ".join(pieces[start:end]))
    return parts


_SLACK = 1  # years


def compare_years(given: int | None, years: Iterable[int], this_year: int) -> Agreement:
    """Return whether the year is within the stated years plus one; later years differ."""
    if given is None:
        return "not_checked"
    stated = [year for year in years if 1000 <= year <= this_year + _SLACK]
    if not stated:
        return "not_checked"
    if given > this_year + _SLACK:
        return "no"
    is_within = min(stated) - _SLACK <= given <= max(stated) + _SLACK
    return "yes" if is_within else "no"
