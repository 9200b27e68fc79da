"""References as given: an identifier, a URL, BibTeX, RIS, CSL-JSON or a sentence.

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
from urllib.parse import unquote

from webquarry._search.addresses import DOI, normal_doi, trim_doi
from webquarry._search.scholarly.models import ARXIV_DOI, Author
from webquarry._search.scholarly.provider import parse_arxiv_id
from webquarry.errors import BadInput
from webquarry.evidence.doi import VIEW
from webquarry.evidence.styles.csl import parse_csl, rename_fields
from webquarry.verify.references.free_text import parse_sentence
from webquarry.verify.references.models import Identifiers, Reference
from webquarry.verify.references.people import ET_AL, parse_authors
from webquarry.verify.references.text import decode_tex

if TYPE_CHECKING:
    from bibtexparser.model import Block

logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # it logs each damaged entry

_MAX_ENTRIES = 10_000
_MAX_RIS_LENGTH = 50_000  # of one record
_MAX_INPUT = 5_000_000
_MAX_IDENTIFIER = 2_500
_MAX_SENTENCE = 4_000
_BIB_ENTRY = re.compile(r"@\s{0,9}([A-Za-z]{1,40})\s{0,9}[{(]\s{0,9}([^\s,{}()=\"#%]{0,200})")
# name = {value}, or with quotes or bare, on one line
_BIB_LINE = re.compile(
    r"^[ \t]{0,20}([A-Za-z][\w:.+/-]{0,60})[ \t]{0,20}=[ \t]{0,20}"
    r"[{\"]?([^\n]{0,5000}?)[}\"]?,?[ \t]{0,20}$",
    re.MULTILINE,
)
_RIS_START = re.compile(r"^\ufeff?TY  -", re.MULTILINE)
_YEAR = re.compile(r"\b(1[0-9]\d\d|2\d\d\d)\b")


# The kind of work of each type of BibTeX, RIS and CSL-JSON.
_TYPES = """
    article article article-journal article-magazine JOUR JFULL MGZN
    preprint UNPB
    paper inproceedings conference paper-conference CPAPER CONF
    book book booklet proceedings BOOK EBOOK EDBOOK
    chapter chapter inbook incollection CHAP ECHAP
    thesis thesis phdthesis mastersthesis THES
    report report techreport manual unpublished RPRT
    standard standard STAND
    webpage webpage online electronic www post post-weblog article-newspaper ELEC BLOG WEB
    dataset dataset DATA
    software software COMP
    patent patent PAT
    law legislation legal_case jurisdiction CASE STAT BILL
"""
_KINDS = {
    type: kind for kind, *types in map(str.split, _TYPES.strip().splitlines()) for type in types
}
_STANDARD = re.compile(r"\b(?:standard|iso|din|ansi|iec|itu-t|nist sp|rfc)\b", re.IGNORECASE)
_WEB = re.compile(r"\bweb ?(?:page|site)\b|\bonline\b|\bblog\b|\\url|https?://", re.IGNORECASE)


def read_references(given: str | Mapping[str, Any], place: int = 1) -> list[Reference]:
    """Return the references of one item of a list. Raises BadInput that names the place."""
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
        inner = given.get("reference")
        if isinstance(inner, str | Mapping):
            claim = given.get("claim")
            text = claim if isinstance(claim, str) else ""
            return [replace(one, claim=text) for one in _read_item(inner)]
        return _read_csl_items([given])
    given = given[:_MAX_INPUT]
    text = given.strip()
    if text[:1] in ("[", "{") and (items := _load_json(text)):
        return _read_csl_items(items)
    entry = _BIB_ENTRY.search(text)
    if entry is not None and not text[: entry.start()].strip().startswith("{"):
        references = read_bibtex(given)
        if references:
            return references
    if _RIS_START.search(text):
        return read_ris(given)
    identifier = classify_identifier(text) if len(text) <= _MAX_IDENTIFIER else None
    if identifier is not None:
        kind = "webpage" if identifier.url and not identifier.doi else ""
        return [Reference(text=text, kind=kind).add_identifiers(identifier)]
    if not any(map(str.isalnum, text)):
        return []
    sentence = " ".join(text[:_MAX_SENTENCE].split())
    return [
        replace(parse_sentence(sentence), text=text).add_identifiers(find_identifiers(sentence))
    ]


def _load_json(text: str) -> list[Mapping[str, Any]]:
    """Return the objects of a JSON text; none if it is not valid."""
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
            reference = _from_bibtex(found[1].lower(), fields)
            line = (block.start_line or 0) + 1
            references.append(replace(reference, text=raw, key=found[2], line=line))
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
    parts = [value] if value.startswith("{") else re.split(r"\s*#\s*", value)
    texts = []
    for part in parts:
        is_quoted = part[:1] in ("{", '"') and len(part) > 1
        texts.append(part[1:-1] if is_quoted else macros.get(part.lower(), part))
    return " ".join("".join(texts).split())


def _from_bibtex(type: str, fields: Mapping[str, str]) -> Reference:
    plain = {name: decode_tex(value) for name, value in fields.items()}

    def get(*names: str) -> str:
        return next((plain[name] for name in names if plain.get(name)), "")

    how, eprint = get("howpublished"), get("eprint")
    venue = get("booktitle", "journal", "journaltitle")
    title, subtitle = get("title"), get("subtitle")
    if subtitle not in title:
        title = f"{title}: {subtitle}"
    addresses = [get("doi"), eprint, get("url"), get("note"), how, venue]
    if get("archiveprefix", "eprinttype").lower() == "arxiv" or parse_arxiv_id(eprint):
        addresses.append(f"arXiv:{eprint}")
    item = {
        "title": title,
        "author": fields.get("author") or fields.get("editor") or "",
        "issued": _read_year(get("year", "date")),
        "container-title": venue,
        "publisher": get("publisher", "school", "institution"),
        "accessed": get("urldate"),
        "ISBN": get("isbn"),
        "PMID": get("pmid"),
        "note": " ".join(addresses),
    }
    reference = _build_reference(item, _KINDS.get(type, ""))
    if reference.kind:
        return reference
    kind = ""  # @misc
    if reference.arxiv_id or eprint:
        kind = "preprint"
    elif _STANDARD.search(how) or reference.rfc:
        kind = "standard"
    elif not reference.doi and (get("url") or _WEB.search(how)):
        kind = "webpage"
    return replace(reference, kind=kind)


def read_ris(text: str) -> list[Reference]:
    """Return the references of RIS records; a record may lack its end."""
    import rispy

    starts = [found.start() for found in _RIS_START.finditer(text)][:_MAX_ENTRIES]
    references = []
    line, counted = 1, 0
    for start, end in pairwise([*starts, len(text)]):
        line += text.count("\n", counted, start)
        counted = start
        record = "\n".join(text[start:end][:_MAX_RIS_LENGTH].splitlines()).strip("\ufeff\n ")
        for fields in rispy.loads(f"{record}\nER  - ")[:1]:
            references.append(replace(_from_ris(fields), text=record, line=line))
    return references


def _from_ris(fields: Mapping[str, Any]) -> Reference:
    def get(*names: str) -> Any:
        return next((fields[name] for name in names if fields.get(name)), "")

    kind = _KINDS.get(get("type_of_reference").upper(), "")
    is_pubmed = "pubmed" in get("name_of_database", "database_provider").lower()
    addresses = [get("doi"), *(get("urls") or [])[:1], get("file_attachments1")]
    item = {
        "id": get("id"),
        "title": get("title", "primary_title"),
        "author": get("authors", "first_authors", "secondary_authors"),
        "issued": _read_year(get("year", "publication_year", "date")),
        "container-title": get(
            "secondary_title", "journal_name", "alternate_title3", "alternate_title2"
        ),
        "publisher": get("publisher"),
        "accessed": get("access_date"),
        "ISBN": get("issn") if kind in ("book", "chapter") else "",
        "PMID": get("accession_number") if is_pubmed else "",
        "note": " ".join(addresses),
    }
    return _build_reference(item, kind)


def _read_csl_items(items: list[Mapping[str, Any]]) -> list[Reference]:
    """Read CSL-JSON items, or objects with the field names of our tools."""
    references = []
    for item in items:
        type = str(item.get("type") or "")
        kind = "preprint" if type == "article" else _KINDS.get(type, "")
        reference = _build_reference(rename_fields(item), kind)
        if not kind and reference.url and not reference.doi and not reference.authors:
            reference = replace(reference, kind="webpage")
        if reference.title or reference.has_identifier or reference.url:
            text = json.dumps(item, ensure_ascii=False, default=str)
            references.append(replace(reference, text=text))
    return references


def _build_reference(item: Mapping[str, Any], kind: str) -> Reference:
    """Return the reference of CSL-JSON fields; its identifiers may be in any of them."""
    authors: tuple[Author, ...]
    if isinstance(item.get("author"), str):
        authors, is_shortened = parse_authors(item["author"])
        work = parse_csl({**item, "author": None})
    else:
        work = parse_csl(item)
        names = [Author(name.written, name.family, name.given) for name in work.authors]
        authors = tuple(one for one in names if not ET_AL.match(one.written))
        is_shortened = len(authors) < len(names)
    texts = {name: str(value or "") for name, value in item.items()}
    given = Identifiers(
        doi=normal_doi(work.doi) or "",
        isbn=clean_isbn(texts.get("ISBN", "").partition(",")[0]),
        pmid=_digits(texts.get("PMID", "")),
        pmcid=texts.get("PMCID", "").upper(),
        url=work.url,
    )
    places = ("DOI", "URL", "note", "archive_location", "number")
    found = find_identifiers(" ".join(texts.get(name, "") for name in places))
    reference = Reference(
        text="",
        key=texts.get("id", ""),
        kind=kind,
        title=work.title,
        authors=authors,
        is_shortened=is_shortened,
        year=work.issued[0] if work.issued else None,
        venue=work.container,
        publisher=work.publisher,
        accessed="-".join(f"{part:02}" for part in work.accessed),
    )
    return reference.add_identifiers(found).add_identifiers(given)


def _read_year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[1]) if found else None


def _digits(text: str) -> str:
    bare = text.strip()
    return bare if bare.isascii() and bare.isdigit() else ""


_ARXIV = r"(?:[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})"
_LABELLED_ARXIV = re.compile(
    rf"(?:arxiv(?:\.org)?\s{{0,3}}[:/]\s{{0,3}}(?:abs/|pdf/|html/)?|arxiv\.)({_ARXIV})(?:v\d{{1,3}})?",
    re.IGNORECASE,
)
_BARE_ARXIV = re.compile(rf"{_ARXIV}(?:v\d{{1,3}})?", re.IGNORECASE)
_PMID = re.compile(r"(?:\bpmid\b\s{0,3}:?\s{0,3}|pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,9})\b", re.I)
_PMCID = re.compile(r"\b(PMC\d{3,9})\b", re.I)
_ISBN = re.compile(
    r"\bisbn(?:-1[03])?\b\s{0,3}:?\s{0,3}((?:97[89][\s-]?)?(?:\d[\s-]?){9}[\dX])", re.I
)
_BARE_ISBN = re.compile(r"(?:97[89][\s-]?)?(?:\d[\s-]?){9}[\dXx]")
_RFC = re.compile(r"\bRFC[\s-]?(\d{1,5})\b")
_URL = re.compile(r"(https?://[^\s<>\"{}|\\^`]{1,2000})", re.I)


def find_identifiers(text: str) -> Identifiers:
    """Return the identifiers of a text, labelled or in URLs."""

    def find(pattern: re.Pattern[str]) -> str:
        found = pattern.search(text)
        return found[1] if found else ""

    doi, other = find_doi(text)
    arxiv = ""
    if doi.startswith(ARXIV_DOI):
        arxiv = parse_arxiv_id(doi.removeprefix(ARXIV_DOI)) or ""
    return Identifiers(
        doi=doi,
        other_doi=other,
        arxiv_id=arxiv or find(_LABELLED_ARXIV).lower(),
        pmid=find(_PMID),
        pmcid=find(_PMCID).upper(),
        isbn=clean_isbn(find(_ISBN)),
        rfc=find(_RFC),
        url=trim_url(find(_URL)),
    )


def find_doi(text: str) -> tuple[str, str]:
    """Return the first DOI of a text, and the same without a view of the publisher at its end."""
    if "%2f" in text.lower():
        text = unquote(text)
    found = DOI.search(text)
    if not found:
        return "", ""
    path = re.split(r"[?#]", found[0], maxsplit=1)[0]
    doi = trim_doi(path or found[0]).lower()
    other = VIEW.sub("", doi)
    if doi.startswith(ARXIV_DOI):
        return re.sub(r"v\d{1,3}$", "", other), ""
    return doi, other if other != doi else ""


def classify_identifier(text: str) -> Identifiers | None:
    """Return the identifier that a text consists of, or None."""
    bare = text.strip().rstrip(".")
    found = find_identifiers(bare)
    lowered = bare.lower()
    if found.doi and (lowered.startswith("10.") or "doi" in lowered[:12]) and " " not in bare[8:]:
        return found
    if _BARE_ARXIV.fullmatch(bare):
        return Identifiers(arxiv_id=parse_arxiv_id(bare) or "")
    if _BARE_ISBN.fullmatch(bare) and len(clean_isbn(bare)) in (10, 13):
        return Identifiers(isbn=clean_isbn(bare))
    labelled = {
        "arxiv_id": _LABELLED_ARXIV, "pmcid": _PMCID, "pmid": _PMID, "isbn": _ISBN, "rfc": _RFC,
    }  # fmt: skip
    for name, pattern in labelled.items():
        if pattern.fullmatch(bare):
            return Identifiers(**{name: getattr(found, name)})
    return found if _URL.fullmatch(bare) else None


def clean_isbn(text: str) -> str:
    """Return the digits of an ISBN."""
    return re.sub(r"[^0-9Xx]", "", text).upper()


def is_valid_isbn(isbn: str) -> bool:
    """Return whether the check digit is right."""
    if not re.fullmatch(r"\d{9}[\dX]|\d{13}", isbn):
        return False
    digits = [10 if digit == "X" else int(digit) for digit in isbn]
    if len(digits) == 13:
        return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0
    return sum(digit * (10 - place) for place, digit in enumerate(digits)) % 11 == 0


def trim_url(url: str) -> str:
    """Return a URL without the punctuation of its sentence."""
    url = url.rstrip(".,;:!?'\"*]>")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:")
    return url
