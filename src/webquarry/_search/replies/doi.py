"""DOIs as people and registries write them -> the bare one in lower case, as registries compare
them.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,9}/[^\s\"<>{}|\\^`\x00-\x20]{1,200}")
_PREFIXED = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*|info:doi/", re.IGNORECASE)
_LONGEST = 400  # characters of a text that are looked at


def normal_doi(text: object) -> str | None:
    """The bare DOI in lower case of a text that is one; None for any other."""
    if not isinstance(text, str):
        return None
    decoded = unquote(text.strip()[:_LONGEST])
    bare = _PREFIXED.sub("", decoded, count=1).strip()
    if DOI.fullmatch(bare):
        return trim_doi(bare).lower()
    return None


def trim_doi(doi: str) -> str:
    """The DOI without what belongs to the sentence around it: a full stop, a bracket that was
    opened before it.
    """
    doi = doi.split("](")[0].rstrip(".,;:!?*'’”]")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:")
    return doi


def doi_url(doi: str) -> str:
    """Where a bare DOI leads."""
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"
