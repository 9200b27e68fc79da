"""Artifacts: a large answer is kept for an hour and linked to; only its beginning is sent.

The URI of an artifact contains the SHA-256 of its JSON. Revisions without resource links get the
URI as text.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from datetime import timedelta
from typing import TYPE_CHECKING

from webquarry.answer_text import render_digest, truncate
from webquarry.mcp.protocol import Message, as_json, text_block

if TYPE_CHECKING:
    from webquarry.tool import Answer
    from webquarry.toolkit import Toolkit

LIFETIME_SECONDS = 3600
MIME_TYPE = "application/json"
_DIGEST_BYTES = 8192
_PREFIX = "research://artifact/"
_ID = re.compile(r"[0-9a-f]{64}")
_VERSION = 1
_WITHOUT_LINKS = ("2024-11-05", "2025-03-26")
_MAX_NAME = 300  # characters of the URL or query in a summary


async def link(
    answer: Answer, data: Message, body: bytes, kit: Toolkit, revision: str
) -> tuple[list[Message], Message] | None:
    """Keep the JSON of an answer and return the content and structured content that link to it.

    None if it could not be kept where `resources/read` finds it.
    """
    uri = await store_artifact(body, kit)
    if uri is None:
        return None
    expires = kit.clock.now() + timedelta(seconds=LIFETIME_SECONDS)
    name = str(data.get("url") or data.get("query") or "the result")[:_MAX_NAME]
    summary = f"The whole of {name}, {len(body):,} bytes of JSON, is at the linked resource."
    linked = {
        "resource": uri,
        "bytes": len(body),
        "mimeType": MIME_TYPE,
        "summary": summary,
        "expiresAt": expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "linked": True,
    }
    advice = f"\n\nOnly the beginning is shown here. {answer.how_to_read_on()}"
    beginning = render_digest(answer, data, _DIGEST_BYTES - len(advice.encode())) + advice
    if revision in _WITHOUT_LINKS:
        pointer = text_block(
            f"{summary} Read {uri} with resources/read before {linked['expiresAt']}."
        )
    else:
        pointer = {
            "type": "resource_link",
            "uri": uri,
            "name": uri.removeprefix(_PREFIX),
            "title": "The whole result",
            "mimeType": MIME_TYPE,
            "size": len(body),
            "description": summary,
        }
    texts = truncate(as_json(linked), _DIGEST_BYTES), beginning
    return [*map(text_block, texts), pointer], linked


async def read_artifact(uri: str, kit: Toolkit) -> str | None:
    """The JSON of an artifact; None if it is unknown or expired."""
    artifact_id = uri.removeprefix(_PREFIX)
    if not uri.startswith(_PREFIX) or not _ID.fullmatch(artifact_id):
        return None
    entry = await kit.cache.get(_cache_key(artifact_id))
    if entry is None or hashlib.sha256(entry.value).hexdigest() != artifact_id:
        return None
    return entry.value.decode()


async def store_artifact(body: bytes, kit: Toolkit) -> str | None:
    """Put an artifact into the cache and return its URI; None if the cache does not hold it."""
    from webquarry.store.cache import Made

    digest = await asyncio.to_thread(hashlib.sha256, body)
    key = _cache_key(digest.hexdigest())
    await kit.cache.put(key, Made(body, LIFETIME_SECONDS))
    if await kit.cache.is_kept_for_all(key):
        return _PREFIX + digest.hexdigest()
    return None


def _cache_key(artifact_id: str) -> str:
    from webquarry.store.cache import key_of

    return key_of("artifact", _VERSION, {"id": artifact_id})
