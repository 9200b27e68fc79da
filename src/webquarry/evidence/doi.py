"""The DOI that a page declares as its own: from its tags, its JSON-LD, its address, or the first
lines of its text.

A reference list names the DOIs of other works, so nothing behind its heading is looked at,
`citation_reference` tags neither; in the first lines a DOI counts only where it is written as one
(`doi:...`, `https://doi.org/...`) and is the only one there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from webquarry._search.addresses import DOI, normal_doi, trim_doi
from webquarry.evidence.page.jsonld import Node
from webquarry.evidence.page.tags import Tags

__all__ = ["detect_doi", "normal_doi"]

_LABELLED = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/"
    r"|\bdoi\b[\]*]{0,4}(?:\s*:|\s)[\s*]{0,4}(?:\[?https?://(?:dx\.)?doi\.org/)?)"
    rf"({DOI.pattern})",
    re.IGNORECASE,
)
_METAS = (
    "citation_doi",
    "bepress_citation_doi",
    "prism.doi",
    "dc.identifier",
    "dcterms.identifier",
    "dc.identifier.doi",
    "doi",
    "eprints.id_number",
)
_JSON_LD_NAMES = ("doi", "identifier", "sameAs", "@id")
_REFERENCES = re.compile(
    r"^[^\w\n]*(?:\d+\.?[^\w\n]*)?"
    r"(?:references|bibliography|works cited|literature cited|literature"
    r"|literatur(?:verzeichnis)?"
    r"|références|referencias|bibliografía|bibliografia|参考文献)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FRONT_MATTER = 3000  # characters
_FIRST_SIGNS = "10."  # of every DOI
_LONGEST_PATH = 2000
_SUFFIXES = re.compile(
    r"/(?:full|abstract|abs|pdf|epdf|html|summary|meta|fulltext|full-text|references)/?$|\.pdf$"
)


def detect_doi(page_url: str, tags: Tags, main: Node | None, markdown: str) -> str | None:
    """The page's own DOI, if it declares one: in its tags or its JSON-LD, in its address, or in the
    first lines of its text.
    """
    candidates: list[Any] = [content for _, content in tags.list_metas(_METAS)]
    if main is not None and not main.keys().isdisjoint(_JSON_LD_NAMES):
        candidates += _json_ld_identifiers(main)
    for candidate in candidates:
        doi = normal_doi(candidate)
        if doi:
            return doi
    doi = _find_in_address(page_url)
    if doi:
        return doi
    # The DOI in the first lines, where there is only one.
    if markdown.find(_FIRST_SIGNS, 0, _FRONT_MATTER) < 0:
        return None
    front = _REFERENCES.split(markdown[:_FRONT_MATTER], maxsplit=1)[0]
    labelled: set[str] = set()
    for match in _LABELLED.finditer(front):
        doi = trim_doi(match[1])
        labelled.add(doi.lower())
    if len(labelled) == 1:
        return labelled.pop()
    return None


def _find_in_address(page_url: str) -> str | None:
    """A DOI that ends the path, as in `/doi/full/10.1000/182`: the names of views behind it are cut
    off.
    """
    if _FIRST_SIGNS not in page_url and "%" not in page_url:
        return None  # as nearly all
    try:
        encoded_path = urlsplit(page_url).path[:_LONGEST_PATH]
    except ValueError:
        return None
    path = unquote(encoded_path)
    in_path = DOI.search(path)
    if in_path is None or path[in_path.start() - 1] != "/":
        return None
    return trim_doi(_SUFFIXES.sub("", in_path[0])).lower() or None


def _json_ld_identifiers(main: Node) -> Iterator[Any]:
    """What may be an identifier in the JSON-LD: a text, an address, a property with its value."""
    for name in _JSON_LD_NAMES:
        values = main.get(name)
        if not isinstance(values, list):
            values = [values]
        for value in values:
            if not isinstance(value, Mapping):
                yield value
                continue
            kind = value.get("propertyID") or value.get("name")
            if isinstance(kind, str) and "doi" in kind.lower():
                yield value.get("value")
