"""References as given: an identifier, an address, BibTeX, RIS, CSL-JSON or a sentence.

BibTeX is parsed by bibtexparser, RIS by rispy. A text with several entries gives several
references.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from webquarry._search.addresses import normal_doi
from webquarry._search.scholarly.models import Author
from webquarry._search.scholarly.provider import parse_arxiv_id
from webquarry.errors import BadInput
from webquarry.evidence.styles.csl import parse_csl
from webquarry.evidence.styles.work import Work
from webquarry.verify.references.free_text import parse_free_text
from webquarry.verify.references.identifiers import (
    classify_identifier,
    clean_isbn,
    find_identifiers,
)
from webquarry.verify.references.models import Identifiers, Reference
from webquarry.verify.references.people import parse_authors
from webquarry.verify.references.text import decode_tex

if TYPE_CHECKING:
    from bibtexparser.model import Block

logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # it logs each damaged entry

_MAX_ENTRIES = 10_000  # of one text
_MAX_RIS_LENGTH = 50_000  # of one record
_BIB_ENTRY = re.compile(r"@\s{0,9}([A-Za-z]{1,40})\s{0,9}[{(]\s{0,9}([^\s,{}()=\"#%]{0,200})")
# name = {value}, or with quotes or bare, on one line
_BIB_LINE = re.compile(
    r"^[ \t]{0,20}([A-Za-z][\w:.+/-]{0,60})[ \t]{0,20}=[ \t]{0,20}"
    r"[{\"]?([^\n]{0,5000}?)[}\"]?,?[ \t]{0,20}$",
    re.MULTILINE,
)
_BIB_JOIN = re.compile(r"\s*#\s*")
_RIS_START = re.compile(r"^\ufeff?TY  -", re.MULTILINE)
_YEAR = re.compile(r"\b(1[0-9]\d\d|2\d\d\d)\b")
_BIB_KINDS = {
    "article": "article", "inproceedings": "paper", "conference": "paper", "proceedings": "book",
    "book": "book", "inbook": "chapter", "incollection": "chapter", "booklet": "book",
    "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis",
    "techreport": "report", "report": "report", "manual": "report", "standard": "standard",
    "online": "webpage", "electronic": "webpage", "www": "webpage", "webpage": "webpage",
    "dataset": "dataset", "software": "software", "patent": "patent", "legislation": "law",
    "jurisdiction": "law", "unpublished": "report",
}  # fmt: skip
_RIS_KINDS = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "CPAPER": "paper", "CONF": "paper",
    "BOOK": "book", "EBOOK": "book", "EDBOOK": "book", "CHAP": "chapter", "ECHAP": "chapter",
    "THES": "thesis", "RPRT": "report", "STAND": "standard", "ELEC": "webpage",
    "BLOG": "webpage", "WEB": "webpage", "DATA": "dataset", "COMP": "software",
    "PAT": "patent", "CASE": "law", "STAT": "law", "BILL": "law", "UNPB": "preprint",
}  # fmt: skip
_CSL_KINDS = {
    "article-journal": "article", "article-magazine": "article", "article": "preprint",
    "paper-conference": "paper", "book": "book", "chapter": "chapter", "thesis": "thesis",
    "report": "report", "standard": "standard", "webpage": "webpage", "post": "webpage",
    "post-weblog": "webpage", "article-newspaper": "webpage", "dataset": "dataset",
    "software": "software", "patent": "patent", "legislation": "law", "legal_case": "law",
}  # fmt: skip
_CSL_NAMES = {
    "url": "URL", "doi": "DOI", "authors": "author", "year": "issued",
    "published": "issued", "journal": "container-title", "venue": "container-title",
    "booktitle": "container-title", "isbn": "ISBN", "pmid": "PMID",
}  # fmt: skip
_CSL_NUMBERS = ("DOI", "URL", "note", "archive_location", "number")
_STANDARD = re.compile(r"\b(?:standard|iso|din|ansi|iec|itu-t|nist sp|rfc)\b", re.IGNORECASE)
_WEB = re.compile(r"\bweb ?(?:page|site)\b|\bonline\b|\bblog\b|\\url|https?://", re.IGNORECASE)
_LONGEST_INPUT = 5_000_000
_LONGEST_IDENTIFIER = 2_500


def read_references(given: str | Mapping[str, Any], place: int = 1) -> list[Reference]:
    """The references of one item of a list; what holds none is BadInput that names the place."""
    found = _read_item(given)
    if not found:
        raise BadInput(
            f"Item {place} of the references is blank or has nothing that names a work.",
            suggested_action="Give a DOI, an arXiv id, a PMID, an ISBN, an address, BibTeX, RIS, "
            "CSL-JSON or the reference as a sentence.",
        )
    return [replace(reference, place=place) for reference in found]


def _read_item(given: str | Mapping[str, Any]) -> list[Reference]:
    if isinstance(given, Mapping):
        claim = given.get("claim")
        inner = given.get("reference")
        if isinstance(inner, str | Mapping):
            said = claim if isinstance(claim, str) else ""
            return [replace(one, claim=said) for one in _read_item(inner)]
        return _read_csl_items([given])
    text = given[:_LONGEST_INPUT].strip()
    if not text:
        return []
    if text[0] in "[{":
        items = _load_json(text)
        if items:
            return _read_csl_items(items)
    found = _BIB_ENTRY.search(text)
    if found is not None and not text[: found.start()].strip().startswith("{"):
        references = read_bibtex(given[:_LONGEST_INPUT])
        if references:
            return references
    if _RIS_START.search(text):
        return read_ris(given[:_LONGEST_INPUT])
    identifier = classify_identifier(text) if len(text) <= _LONGEST_IDENTIFIER else None
    if identifier is not None:
        kind = "webpage" if identifier.url and not identifier.doi else ""
        return [Reference(text=text, kind=kind).add_identifiers(identifier)]
    if not any(map(str.isalnum, text)):
        return []
    return [parse_free_text(text)]


def _load_json(text: str) -> list[Mapping[str, Any]]:
    """The objects of a JSON text; none where it is no such text."""
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(loaded, Mapping):
        inner = loaded.get("items")
        loaded = inner if isinstance(inner, list) else [loaded]
    return [item for item in loaded if isinstance(item, Mapping)]


def read_bibtex(text: str) -> list[Reference]:
    """Return the references of BibTeX entries, those of damaged entries as far as possible."""
    from bibtexparser.entrypoint import parse_string

    library = parse_string(text, parse_stack=[])
    macros = {one.key.lower(): _resolve(one.value, {}) for one in library.strings}
    references = []
    for block in library.blocks[:_MAX_ENTRIES]:
        raw = block.raw or ""
        found = _BIB_ENTRY.match(raw)
        fields = _read_bib_fields(block, macros)
        if found is not None and fields is not None:
            line = (block.start_line or 0) + 1
            references.append(_from_bibtex(found[1].lower(), found[2], fields, raw, line))
    return references


def _read_bib_fields(block: Block, macros: Mapping[str, str]) -> dict[str, str] | None:
    """Return the fields of an entry; None if the block is not an entry."""
    from bibtexparser.model import Entry, ParsingFailedBlock

    fields: dict[str, str] = {}
    entry: Block | None = block
    if isinstance(block, ParsingFailedBlock):
        entry = block.ignore_error_block  # of duplicate keys
        if entry is None:
            for name, value in _BIB_LINE.findall(block.raw or ""):
                fields.setdefault(name.lower(), " ".join(value.split()))
            return fields
    if not isinstance(entry, Entry):
        return None
    for field in entry.fields:
        fields.setdefault(field.key.lower(), _resolve(str(field.value), macros))
    return fields


def _resolve(value: str, macros: Mapping[str, str]) -> str:
    """Return a value without its delimiters, its macros replaced and its parts joined."""
    parts = [value] if value.startswith("{") else _BIB_JOIN.split(value)
    texts = []
    for part in parts:
        if part[:1] in ("{", '"') and len(part) > 1:
            texts.append(part[1:-1])
        else:
            texts.append(macros.get(part.lower(), part))
    return " ".join("".join(texts).split())


def _from_bibtex(type: str, key: str, fields: Mapping[str, str], text: str, line: int) -> Reference:
    plain = {name: decode_tex(value) for name, value in fields.items()}
    authors, is_shortened = parse_authors(fields.get("author") or fields.get("editor") or "")
    how = plain.get("howpublished", "")
    addresses = [plain.get(name, "") for name in ("doi", "eprint", "url", "note")]
    archive = plain.get("archiveprefix", plain.get("eprinttype", "")).lower()
    if archive == "arxiv" and plain.get("eprint"):
        addresses.append(f"arXiv:{plain['eprint']}")
    venue = plain.get("booktitle") or plain.get("journal") or plain.get("journaltitle") or ""
    subtitle = plain.get("subtitle", "")
    title = plain.get("title", "")
    if subtitle and subtitle not in title:
        title = f"{title}: {subtitle}"
    kind = _BIB_KINDS.get(type, "")
    found = find_identifiers(" ".join([*addresses, how, venue]))
    if not kind:
        kind = _kind_of_misc(how, plain, found)
    year = _read_year(plain.get("year") or plain.get("date") or "")
    reference = Reference(
        text=text,
        line=line,
        key=key,
        kind=kind,
        title=title,
        authors=authors,
        is_shortened=is_shortened,
        year=year,
        venue=venue,
        publisher=plain.get("publisher") or plain.get("school") or plain.get("institution") or "",
        accessed=plain.get("urldate", ""),
    )
    own = Identifiers(
        pmid=_digits(plain.get("pmid", "")),
        isbn=clean_isbn(plain.get("isbn", "").partition(",")[0]),
        arxiv_id=parse_arxiv_id(plain.get("eprint", "")) or "",
    )
    return reference.add_identifiers(found).add_identifiers(own)


def _kind_of_misc(how: str, plain: Mapping[str, str], found: Identifiers) -> str:
    """What `@misc` is: a preprint with an eprint, a standard, a web page with an address."""
    if found.arxiv_id or plain.get("eprint"):
        return "preprint"
    if _STANDARD.search(how) or found.rfc:
        return "standard"
    if not found.doi and (plain.get("url") or _WEB.search(how)):
        return "webpage"
    return ""


def read_ris(text: str) -> list[Reference]:
    """Return the references of RIS records; a record may lack its end."""
    import rispy

    starts = [found.start() for found in _RIS_START.finditer(text)]
    references = []
    line, counted = 1, 0
    for start, end in pairwise([*starts[:_MAX_ENTRIES], len(text)]):
        line += text.count("\n", counted, start)
        counted = start
        record = "\n".join(text[start:end][:_MAX_RIS_LENGTH].splitlines()).strip("\ufeff\n ")
        for fields in rispy.loads(f"{record}\nER  - "):
            references.append(_from_ris(fields, record, line))
            break
    return references


def _from_ris(fields: Mapping[str, Any], text: str, line: int) -> Reference:
    authors: list[Author] = []
    is_shortened = False
    for name in ("authors", "first_authors", "secondary_authors"):
        for value in fields.get(name, ()):
            parsed, is_cut = parse_authors(value if "," in value else f"{{{value}}}")
            authors += parsed
            is_shortened = is_shortened or is_cut
        if authors:
            break
    kind = _RIS_KINDS.get(_first(fields, "type_of_reference").upper(), "")
    reference = Reference(
        text=text,
        line=line,
        key=_first(fields, "id"),
        kind=kind,
        title=_first(fields, "title", "primary_title"),
        authors=tuple(authors),
        is_shortened=is_shortened,
        year=_read_year(_first(fields, "year", "publication_year", "date")),
        venue=_first(
            fields, "secondary_title", "journal_name", "alternate_title3", "alternate_title2"
        ),
        publisher=_first(fields, "publisher"),
        accessed=_first(fields, "access_date"),
    )
    address = next(iter(fields.get("urls", ())), "") or _first(fields, "file_attachments1")
    found = find_identifiers(f"{_first(fields, 'doi')} {address}")
    own = Identifiers()
    if kind in ("book", "chapter"):
        own = Identifiers(isbn=clean_isbn(_first(fields, "issn")))
    number = _first(fields, "accession_number")
    if (
        number.isdigit()
        and "pubmed" in _first(fields, "name_of_database", "database_provider").lower()
    ):
        own = replace(own, pmid=number)
    return reference.add_identifiers(found).add_identifiers(own)


def _first(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first field that has a value."""
    return next((str(fields[name]) for name in names if fields.get(name)), "")


def _read_csl_items(items: list[Mapping[str, Any]]) -> list[Reference]:
    found = []
    for item in items:
        reference = _from_csl(item)
        if reference.title or reference.has_identifier or reference.url:
            found.append(reference)
    return found


def _from_csl(item: Mapping[str, Any]) -> Reference:
    """A CSL-JSON item, or an object with the names that our own tools use."""
    fields = dict(item)
    for name, csl_name in _CSL_NAMES.items():
        if name in fields:
            fields.setdefault(csl_name, fields.pop(name))
    written = ""  # all authors in one text, as BibTeX has them
    if isinstance(fields.get("author"), str):
        written = fields.pop("author")
    work = parse_csl(fields)
    authors, is_shortened = _read_csl_authors(work, written)
    kind = _CSL_KINDS.get(str(item.get("type") or ""), "")
    if not kind and work.url and not work.doi and not authors:
        kind = "webpage"
    reference = Reference(
        text=json.dumps(item, ensure_ascii=False, default=str),
        key=str(item.get("id") or ""),
        kind=kind,
        title=work.title,
        authors=authors,
        is_shortened=is_shortened,
        year=work.issued[0] if work.issued else None,
        venue=work.container,
        publisher=work.publisher,
        accessed="-".join(f"{part:02}" for part in work.accessed),
    )
    numbers = [str(fields.get(name) or "") for name in _CSL_NUMBERS]
    own = Identifiers(
        doi=normal_doi(work.doi) or "",
        isbn=clean_isbn(str(fields.get("ISBN") or "").partition(",")[0]),
        pmid=_digits(str(fields.get("PMID") or "")),
        pmcid=str(fields.get("PMCID") or "").upper(),
        url=work.url,
    )
    found = find_identifiers(" ".join(numbers))
    return reference.add_identifiers(found).add_identifiers(own)


def _read_csl_authors(work: Work, written: str) -> tuple[tuple[Author, ...], bool]:
    """The authors, and whether the list says that there are more."""
    if written:
        return parse_authors(written)
    names = [Author(name.written, name.family, name.given) for name in work.authors]
    named = [one for one in names if not one.written.lower().startswith("et al")]
    return tuple(named), len(named) < len(names)


def _read_year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[1]) if found else None


def _digits(text: str) -> str:
    bare = text.strip()
    return bare if bare.isascii() and bare.isdigit() else ""
