"""Recorded replies of the patent services: `<outcome>_<status>...` in a folder by the name of the
service.
"""

from __future__ import annotations

from pathlib import Path

import httpx2

from tests.search.replies import MOMENT, outcome_of, replies_in, status_of
from webquarry._search.patents.numbers import PatentNumber, read_number
from webquarry.net.models import Reply

FOLDER = Path(__file__).parent / "replies"
# A login is a reply to another question.
NAMES = [name for name in replies_in(FOLDER) if outcome_of(name) != "login"]
KEYS = {
    "EPO_OPS_KEY": "canary-epo-key-1234",
    "EPO_OPS_SECRET": "canary-epo-secret-1234",
    "LENS_API_TOKEN": "canary-lens-token-1234",
}
LENS_ONLY = {"LENS_API_TOKEN": KEYS["LENS_API_TOKEN"]}
EPO_ONLY = {name: value for name, value in KEYS.items() if name.startswith("EPO")}


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
