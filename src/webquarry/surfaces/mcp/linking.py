"""Large results: the whole is kept for an hour and linked to, its digest is sent.

An artifact is the JSON of an answer. Its address holds the SHA-256 of its bytes, so that equal
answers have one address and nobody gets other bytes than those that were linked to. What was not
kept is not linked to. To revisions of the protocol that know no links the address is told as text.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from webquarry.surfaces.mcp.outcome import CallOutcome, build_text
from webquarry.surfaces.mcp.text import as_json, cut, digest_answer

if TYPE_CHECKING:
    from webquarry.tool import Answer
    from webquarry.toolkit import Toolkit

TEMPLATE = "research://artifact/{id}"
LIFE_SECONDS = 3600
DIGEST_BYTES = 8192
MIME_TYPE = "application/json"
_PREFIX = TEMPLATE.removesuffix("{id}")
_ID = re.compile(r"[0-9a-f]{64}")
_VERSION = 1
_WITHOUT_LINKS = ("2024-11-05", "2025-03-26")  # clients of these lose a result with a link in it
_MOST_NAME_CHARACTERS = 300  # of the page or the query that a summary names

_LINKED = {  # what tells it from a whole result; the text says the rest
    "properties": {"linked": {"const": True}, "resource": {"type": "string"}},
    "required": ["linked", "resource"],
}


def schema_with_link(whole: dict[str, Any]) -> dict[str, Any]:
    """The output schema of a tool whose answer may be linked to: the whole shape or the linked
    one.
    """
    return {"type": "object", "anyOf": [whole, _LINKED]}


def knows_links(revision: str) -> bool:
    """Whether clients that agreed on this revision can read links to resources."""
    return revision not in _WITHOUT_LINKS


async def link(
    answer: Answer,
    data: dict[str, Any],
    body: bytes,
    kit: Toolkit,
    *,
    with_link: bool = True,
) -> CallOutcome | None:
    """The linked form of an answer; None where it is to be sent as it is. Without a link, the
    address is told in words.
    """
    if not answer.is_linkable() or len(body) < kit.settings.link_threshold_bytes:
        return None
    address = await _keep(body, kit)
    if address is None:
        return None
    expires = kit.clock.now() + timedelta(seconds=LIFE_SECONDS)
    name = str(data.get("url") or data.get("query") or "the result")[:_MOST_NAME_CHARACTERS]
    summary = f"The whole of {name}, {len(body):,} bytes of JSON, is at the linked resource."
    linked = {
        "resource": address,
        "bytes": len(body),
        "mimeType": MIME_TYPE,
        "summary": summary,
        "expiresAt": expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "linked": True,
    }
    # For clients that follow no links: the best of it, and how to get the rest.
    advice = f"\n\nOnly the beginning is shown here. {answer.how_to_read_on()}"
    beginning = digest_answer(answer, data, DIGEST_BYTES - len(advice.encode())) + advice
    way = build_text(f"{summary} Read {address} with resources/read before {linked['expiresAt']}.")
    if with_link:
        way = {
            "type": "resource_link",
            "uri": address,
            "name": address.removeprefix(_PREFIX),
            "title": "The whole result",
            "mimeType": MIME_TYPE,
            "size": len(body),
            "description": summary,
        }
    encoded = as_json(linked)
    content = [build_text(cut(encoded, DIGEST_BYTES)), build_text(beginning), way]
    return CallOutcome(content, linked, meta=answer.meta or None)


async def read_artifact(uri: str, kit: Toolkit) -> str | None:
    """The text of an artifact; None where there is none, or no longer."""
    artifact_id = uri.removeprefix(_PREFIX)
    if not uri.startswith(_PREFIX) or not _ID.fullmatch(artifact_id):
        return None
    kept = await kit.cache.get(_cache_key(artifact_id))
    if kept is None:
        return None
    if hashlib.sha256(kept.value).hexdigest() != artifact_id:
        return None
    return kept.value.decode()


async def _keep(body: bytes, kit: Toolkit) -> str | None:
    """Keep it, and say where; None where nothing is kept: no cache, too large for it, or not where
    other servers look.
    """
    from webquarry.cache.cache import Made

    digest = await asyncio.to_thread(hashlib.sha256, body)
    artifact_id = digest.hexdigest()
    key = _cache_key(artifact_id)
    await kit.cache.put(key, Made(body, LIFE_SECONDS))
    if await kit.cache.is_kept_for_all(key):
        return _PREFIX + artifact_id
    return None


def _cache_key(artifact_id: str) -> str:
    from webquarry.cache.base import key_of

    return key_of("artifact", _VERSION, {"id": artifact_id})
