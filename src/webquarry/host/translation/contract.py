"""What the vendors' modules share: when a strict form has to be given up, and roots that no vendor
takes.
"""

from __future__ import annotations

from webquarry.host.models import Schema
from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import UNIONS, omit, pick


class Inexpressible(Exception):
    """The vendor's strict form cannot hold this schema; its normal form can."""


def without_root_unions(schema: Schema) -> Schema:
    """Vendors refuse a union at the root of the parameters: it becomes words there."""
    lost = pick(schema, *UNIONS, "not", "enum", "const", "$ref")
    if not lost:
        return schema
    kept = omit(schema, *lost)
    description = with_words(kept.get("description"), lost)
    if description:
        return {**kept, "description": description}
    return kept
