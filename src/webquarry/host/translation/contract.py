"""What the vendors' modules share: when a strict form has to be given up, and roots that no vendor
takes.
"""

from __future__ import annotations

from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import UNIONS, Schema


class Inexpressible(Exception):
    """The vendor's strict form cannot hold this schema; its normal form can."""


def without_root_unions(schema: Schema) -> Schema:
    """Vendors refuse a union at the root of the parameters: it becomes words there."""
    lost = {
        word: schema[word] for word in (*UNIONS, "not", "enum", "const", "$ref") if word in schema
    }
    if not lost:
        return schema
    kept = {word: value for word, value in schema.items() if word not in lost}
    description = with_words(kept.get("description"), lost)
    if description:
        return {**kept, "description": description}
    return kept
