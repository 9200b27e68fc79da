"""The DOI of a page: from its tags, its JSON-LD, its URL, or the first lines of its text.

DOIs of references do not count: nothing after their heading is examined, `citation_reference` tags
neither. In the first lines a DOI counts only if it is labelled (`doi:...`, `https://doi.org/...`)
and the only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from webquarry._search.addresses import DOI, normal_doi, trim_doi
from webquarry.evidence.page.jsonld import Node
from webquarry.evidence.page.markup import Markup

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
_REFERENCES = re.compile(
    r"^[^\w\n]*(?:\d+\.?[^\w\n]*)?"
    r"(?:references|bibliography|works cited|literature cited|literature"
    r"|literatur(?:verzeichnis)?"
    r"|références|referencias|bibliografía|bibliografia|参考文献)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FRONT_MATTER = 3000  # characters
_MAX_PATH = 2000
# The suffix of a publisher's view; it may also belong to the DOI.
VIEW = re.compile(
    r"(?:/(?:full|abstract|abs|pdf|epdf|html|summary|meta|fulltext|full-text|references)/?"
    r"|\.pdf|\.full|\.abstract|v\d{1,2}\.full)$",
    re.IGNORECASE,
)


def detect_doi(markup: Markup, markdown: str) -> str | None:
    """Return the DOI of a page, or None."""
    candidates: list[Any] = [content for _, content in markup.list_metas(*_METAS)]
    candidates += _list_identifiers(markup.main or {})
    declared = next(filter(None, map(normal_doi, candidates)), None) or _find_in_url(markup.url)
    if declared:
        return declared
    front = _REFERENCES.split(markdown[:_FRONT_MATTER], maxsplit=1)[0]
    labelled = {trim_doi(found[1]).lower() for found in _LABELLED.finditer(front)}
    return labelled.pop() if len(labelled) == 1 else None


def _find_in_url(url: str) -> str | None:
    """Return a DOI at the end of the path, without a view: `/doi/10.1000/182/full`."""
    try:
        path = unquote(urlsplit(url).path[:_MAX_PATH])
    except ValueError:
        return None
    found = DOI.search(path)
    if found is None or path[found.start() - 1] != "/":
        return None
    return trim_doi(VIEW.sub("", found[0])).lower() or None


def _list_identifiers(main: Node) -> Iterator[Any]:
    """Yield possible identifiers in JSON-LD: texts, URLs and properties with a value."""
    for name in ("doi", "identifier", "sameAs", "@id"):
        values = main.get(name)
        for value in values if isinstance(values, list) else [values]:
            if not isinstance(value, Mapping):
                yield value
            elif "doi" in str(value.get("propertyID") or value.get("name")).lower():
                yield value.get("value")
