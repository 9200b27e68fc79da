"""Recorded replies, as the providers answer them, and what makes `Reply`s of them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from webquarry.net.models import Reply

FOLDER = Path(__file__).parent
MOMENT = datetime(2026, 11, 15, 12, tzinfo=UTC)

ERRORS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/error_*.json"))
_STATUS = re.compile(r"/error_(\d{3})")


def path_of(name: str) -> Path:
    """The file of a recorded reply, such as `brave/web_ok`; a page has its ending in its name or is
    the only one of it.
    """
    path = FOLDER / name
    return next(
        found
        for found in (
            path,
            path.with_name(f"{path.name}.json"),
            path.with_name(f"{path.name}.html"),
        )
        if found.is_file()
    )


def recorded(name: str) -> bytes:
    """The body of a recorded reply."""
    return path_of(name).read_bytes()


def recorded_json(name: str) -> Any:
    return json.loads(recorded(name))


def status_of(name: str) -> int:
    """The status that a recorded error came with: it stands in its name, or in its body."""
    if named := _STATUS.search(name):
        return int(named[1])
    found = recorded_json(name)
    problem = found["errors"][0] if "errors" in found else found["error"]
    return int(problem.get("status") if isinstance(problem.get("status"), int) else problem["code"])


def reply(body: bytes | Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """A reply with this body; anything but bytes is sent as JSON."""
    kind = {} if isinstance(body, bytes) else {"content-type": "application/json"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(
        "https://provider.example/", status, httpx2.Headers(kind | (headers or {})), content, MOMENT
    )


def recorded_reply(name: str, headers: dict[str, str] | None = None) -> Reply:
    """A recorded reply with the status it came with."""
    status = status_of(name) if "/error_" in name else 200
    kind = "text/html; charset=UTF-8" if path_of(name).suffix == ".html" else "application/json"
    return reply(recorded(name), status, {"content-type": kind} | (headers or {}))
