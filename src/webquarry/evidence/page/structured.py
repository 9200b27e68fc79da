"""What a page states for machines -> the `structuredData` of an answer, as the page has it; nothing
where it has none.

JSON-LD blocks are given as the values they hold. A block that is not JSON, and what exceeds the
limits, is left out and counted. A tag that is repeated (authors, tags, images) has its values
joined by `; `.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webquarry.evidence.language.text import line
from webquarry.evidence.models import StructuredData
from webquarry.evidence.page.jsonld import strict_json
from webquarry.evidence.page.tags import Tags

_MOST_JSON = 200_000  # characters of all JSON-LD blocks together
_MOST_TAGS = 20_000  # characters of all tags of a kind together
_LONGEST_TAG = 2_000


def structured_data(tags: Tags) -> StructuredData | None:
    """The machine-readable part of a page."""
    blocks, skipped = _blocks(tags.scripts)
    graph, unsaid = _tags(tags, lambda name: name.startswith(("og:", "article:")))
    citation, unquoted = _tags(tags, lambda name: name.startswith("citation_"))
    if not (blocks or graph or citation):
        return None
    return StructuredData(
        json_ld=blocks or None,
        open_graph=graph or None,
        citation=citation or None,
        skipped=skipped + unsaid + unquoted or None,
    )


def _blocks(texts: tuple[str, ...]) -> tuple[list[Any], int]:
    values: list[Any] = []
    left = _MOST_JSON
    for text in texts:
        if len(text) > left:
            continue
        try:
            values.append(strict_json(text))
        except ValueError:
            continue
        left -= len(text)
    return values, len(texts) - len(values)


def _tags(tags: Tags, wanted: Callable[[str], bool]) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    left, skipped = _MOST_TAGS, 0
    for name, content in tags.metas:
        if not wanted(name) or not (value := line(content, _LONGEST_TAG)):
            continue
        if len(name) + len(value) > left:
            skipped += 1
            continue
        left -= len(name) + len(value)
        if name in found:
            found[name] = f"{found[name]}; {value}"
        else:
            found[name] = value
    return found, skipped
