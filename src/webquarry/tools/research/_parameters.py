"""Parameters that several research tools have: what a model is told of each, once for all.

Limits that nobody meets by chance are held and not told: a model pays for the schema on every turn.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, WithJsonSchema

ShortText = Annotated[str, Field(max_length=500), WithJsonSchema({"type": "string"})]
LongText = Annotated[str, Field(max_length=4_000), WithJsonSchema({"type": "string"})]
Name = Annotated[str, Field(max_length=200), WithJsonSchema({"type": "string"})]
Year = Annotated[int, Field(ge=1000, le=2200), WithJsonSchema({"type": "integer"})]
SearchWords = Annotated[
    str, Field(description="Keywords or a question.", min_length=1, max_length=500)
]
ForcedProvider = Annotated[str | None, Field(description="Force one, e.g. brave.")]
# A session that is recorded in, and one that is read.
RecordingSession = Annotated[str | None, Field(description="Session to record sources in.")]
ReadSession = Annotated[str, Field(description="Given by sequential_search.")]
