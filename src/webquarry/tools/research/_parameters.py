"""Parameters that several research tools have: what a model is told of each, once for all.

Limits that nobody meets by chance are held and not told: a model pays for the schema on every turn.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webquarry.tool_schema import UNLISTED

ShortText = Annotated[str, Meta(max_length=500, extra=UNLISTED)]
LongText = Annotated[str, Meta(max_length=4_000, extra=UNLISTED)]
Name = Annotated[str, Meta(max_length=200, extra=UNLISTED)]
Year = Annotated[int, Meta(ge=1000, le=2200, extra=UNLISTED)]
SearchWords = Annotated[
    str, Meta(description="Keywords or a question.", min_length=1, max_length=500)
]
ForcedProvider = Annotated[str | None, Meta(description="Force one, e.g. brave.")]
# A session that is recorded in, and one that is read.
RecordingSession = Annotated[str | None, Meta(description="Session to record sources in.")]
ReadSession = Annotated[str, Meta(description="Given by sequential_search.")]
