"""Recorded replies of the scholarly indexes, named by outcome and status: `ok_200.json`. A `step`
leads to a second request.
"""

from __future__ import annotations

from pathlib import Path

import httpx2

from tests.search.replies import MOMENT, replies_in, status_of
from webquarry.net.models import Reply

FOLDER = Path(__file__).parent
NAMES = replies_in(FOLDER)
_TYPES = {
    ".json": "application/json",
    ".xml": "application/xml",
    ".html": "text/html",
    ".txt": "text/plain",
}


def body_of(name: str) -> bytes:
    """The body of a recorded reply."""
    return (FOLDER / name).read_bytes()


def response(name: str) -> httpx2.Response:
    """A recorded reply as a server gives it."""
    headers = {"content-type": _TYPES[Path(name).suffix]}
    return httpx2.Response(status_of(name), headers=headers, content=body_of(name))


def reply(name: str, body: bytes | None = None, **headers: str) -> Reply:
    """A recorded reply as a provider gets it, or another body in its place."""
    kind = {"content-type": _TYPES[Path(name).suffix]}
    content = body_of(name) if body is None else body
    return Reply(
        "https://provider.example/",
        status_of(name),
        httpx2.Headers(kind | headers),
        content,
        MOMENT,
    )
