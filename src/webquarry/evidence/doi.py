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

from webquarry.evidence.page.jsonld import Node
from webquarry.evidence.page.tags import Tags
from webquarry.search.replies.doi import DOI, normal_doi, trim_doi

__all__ = ["detect_doi", "normal_doi"]

_LABELLED = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|\bdoi\b[\]*]{0,4}(?:\s*:|\s)[\s*]{0,4}(?:\[?https?://(?:dx\.)?doi\.org/)?)"
    rf"({DOI.pattern})",
    re.IGNORECASE,
)
_METAS = ("citation_doi", "bepress_citation_doi", "prism.doi", "dc.identifier", "dcterms.identifier", "dc.identifier.doi",
          "doi", "eprints.id_number")  # fmt: skip
_REFERENCES = re.compile(
    r"^[^\w\n]*(?:\d+\.?[^\w\n]*)?(?:references|bibliography|works cited|literature cited|literature|literatur(?:verzeichnis)?|"
    r"références|referencias|bibliografía|bibliografia|参考文献)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FRONT_MATTER = 3000  # characters
_LONGEST_PATH = 2000
_SUFFIXES = re.compile(
    r"/(?:full|abstract|abs|pdf|epdf|html|summary|meta|fulltext|full-text|references)/?$|\.pdf$"
)


def detect_doi(page_url: str, tags: Tags, main: Node | None, markdown: str) -> str | None:
    """The page's own DOI, if it declares one."""
    candidates = (*(content for _, content in tags.stated(_METAS)), *_linked(main))
    declared = next((doi for text in candidates if (doi := normal_doi(text))), None)
    return declared or _in_address(page_url) or _in_front_matter(markdown)


def _linked(main: Node | None) -> Iterator[Any]:
    """Identifiers in the JSON-LD: a text, an address, or a property with its value."""
    for name in ("doi", "identifier", "sameAs", "@id") if main is not None else ():
        values = main.get(name) if main is not None else None
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, Mapping):
                kind = value.get("propertyID") or value.get("name")
                yield (
                    value.get("value") if isinstance(kind, str) and "doi" in kind.lower() else None
                )
            else:
                yield value


def _in_address(page_url: str) -> str | None:
    """A DOI that ends the path, as in `/doi/full/10.1000/182`; the names of views behind it are cut
    off.
    """
    try:
        path = unquote(urlsplit(page_url).path[:_LONGEST_PATH])
    except ValueError:
        return None
    found = DOI.search(path)
    if found and path[found.start() - 1] == "/":
        return trim_doi(_SUFFIXES.sub("", found[0])).lower()
    return None


def _in_front_matter(markdown: str) -> str | None:
    front = _REFERENCES.split(markdown[:_FRONT_MATTER], maxsplit=1)[0]
    found = {trim_doi(match[1]).lower() for match in _LABELLED.finditer(front)}
    if len(found) == 1:
        return found.pop()
    return None
