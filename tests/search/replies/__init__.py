"""Recorded replies, as the services answer them, and what makes `Reply`s of them.

A reply is a file in a folder by the name of its service, named by its outcome and status:
`brave/rate_limited_429_quota_limited.json`. That name is all that the contract tests need.
"""

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
_NAME = re.compile(r"(?P<outcome>[a-z_]+)_(?P<status>\d{3})(?:_\w+)?")
_TYPES = {
    ".json": "application/json",
    ".xml": "application/xml",
    ".html": "text/html; charset=UTF-8",
    ".txt": "text/plain",
}


def replies_in(folder: Path) -> list[str]:
    """The names of the replies in the folders of a folder, such as `brave/ok_200.json`."""
    files = [path for path in folder.glob("*/*.*") if _NAME.fullmatch(path.stem)]
    return sorted(path.relative_to(folder).as_posix() for path in files)


def outcome_of(name: str) -> str:
    """What a reply stands for: `ok`, `empty` or the kind of an error."""
    return _parts(name)["outcome"]


def status_of(name: str) -> int:
    """The status that it came with."""
    return int(_parts(name)["status"])


def _parts(name: str) -> re.Match[str]:
    found = _NAME.fullmatch(Path(name).stem)
    assert found, f"{name} is not named <outcome>_<status>"
    return found


def is_answer(name: str) -> bool:
    return outcome_of(name) in ("ok", "empty")


def type_of(name: str) -> str:
    return _TYPES[path_of(name).suffix]


NAMES = replies_in(FOLDER)
ERRORS = [name for name in NAMES if name.endswith(".json") and not is_answer(name)]


def path_of(name: str) -> Path:
    """The file of a recorded reply, such as `brave/ok_200`; where it is the only one of its name,
    without its ending.
    """
    path = FOLDER / name
    if path.is_file():
        return path
    return next(path.parent.glob(f"{path.name}.*"))


def recorded(name: str) -> bytes:
    """The body of a recorded reply."""
    return path_of(name).read_bytes()


def recorded_json(name: str) -> Any:
    return json.loads(recorded(name))


def reply(body: bytes | Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """A reply with this body; anything but bytes is sent as JSON."""
    kind = {} if isinstance(body, bytes) else {"content-type": "application/json"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(
        "https://provider.example/", status, httpx2.Headers(kind | (headers or {})), content, MOMENT
    )


def recorded_reply(name: str, headers: dict[str, str] | None = None) -> Reply:
    """A recorded reply with the status it came with."""
    kind = {"content-type": type_of(name)}
    return reply(recorded(name), status_of(name), kind | (headers or {}))
