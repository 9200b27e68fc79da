"""Recorded replies of the patent services: `<outcome>_<status>...` in a folder by the name of the
service.
"""

from __future__ import annotations

import re
from pathlib import Path

import httpx2

from tests.search.replies import MOMENT
from webquarry.net.models import Reply
from webquarry.search.patents.numbers import PatentNumber, read_number

FOLDER = Path(__file__).parent / "replies"
NAMES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/[!hl]*_[0-9]*"))
KEYS = {
    "EPO_OPS_KEY": "canary-epo-key-1234",
    "EPO_OPS_SECRET": "canary-epo-secret-1234",
    "LENS_API_TOKEN": "canary-lens-token-1234",
}
LENS_ONLY = {"LENS_API_TOKEN": KEYS["LENS_API_TOKEN"]}
EPO_ONLY = {name: value for name, value in KEYS.items() if name.startswith("EPO")}


def outcome_of(name: str) -> str:
    return re.split(r"_\d", name.partition("/")[2])[0]


def status_of(name: str) -> int:
    found = re.search(r"_(\d{3})", name)
    assert found
    return int(found[1])


def body_of(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def reply(
    body: bytes, status: int = 200, url: str = "https://x.example/search", **headers: str
) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(url, status, httpx2.Headers(named), body, MOMENT)


def recorded(name: str, **headers: str) -> Reply:
    return reply(body_of(name), status_of(name), **headers)


def response(name: str, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status_of(name), content=body_of(name), headers=named)


def number(text: str) -> PatentNumber:
    found = read_number(text)
    assert found, text
    return found
