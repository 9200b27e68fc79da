"""What is asked of GitHub: its REST API within its limits, with a token where there is one, and the
hosts of raw files, which count for no limit.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._read.special._parts.site_request import SiteRequest, parse_json
from webquarry.credentials import Credential
from webquarry.errors import NotFound, ProviderFailure
from webquarry.net.models import Reply
from webquarry.secret import Secret

API = "https://api.github.com"
RAW = "https://raw.githubusercontent.com"
TOKEN = Credential("GITHUB_TOKEN", "github-token")
FULL = "application/vnd.github.full+json"  # bodies as HTML, too
HTML = "application/vnd.github.html+json"
_NAME = "github"
_VERSION = "2022-11-28"
_README_NAMES = ("README.md", "readme.md", "README.rst")
_LOOKED_AT = 100_000  # bytes of a file that tell whether it is a text
_BAD_TOKEN = 401
_BLOCKED = 451


class GitHubApi:
    """Asks for one page."""

    def __init__(self, request: SiteRequest) -> None:
        self._request = request
        self._context = request.context
        self._token = request.context.find_credential(TOKEN)

    @property
    def has_token(self) -> bool:
        return self._token is not None

    async def get(self, path: str, missing: str, accept: str = FULL) -> Any:
        """The JSON at a path of the API; NotFound with the sentence `missing`."""
        reply = await self._send("GET", path, accept)
        if reply.status == _BLOCKED:
            raise NotFound("GitHub has blocked access to this repository.")
        return parse_json(reply, missing)

    async def get_html(self, path: str) -> bytes:
        """What the API renders at a path, as HTML; empty where there is nothing."""
        reply = await self._send("GET", path, HTML)
        if not is_success(reply):
            return b""
        return reply.body

    async def query(self, document: str, variables: dict[str, Any]) -> Any:
        """What GraphQL answers, which wants a token."""
        content = json.dumps({"query": document, "variables": variables}).encode()
        reply = await self._send("POST", "/graphql", "application/json", content)
        return parse_json(reply, "GitHub has no such thing.")

    async def fetch_raw(self, path: str) -> Reply:
        """A file from the host of raw files, of any status."""
        return await fetch_raw(self._request, path)

    async def _send(self, method: str, path: str, accept: str, content: bytes = b"") -> Reply:
        self._context.check_pause(_NAME)
        reply = await self._send_once(method, path, accept, content, self._token)
        if reply.status == _BAD_TOKEN and self._token is not None:
            self._token = None  # what is public is there without one
            reply = await self._send_once(method, path, accept, content, None)
        self._note_limit(reply)
        return reply

    def _note_limit(self, reply: Reply) -> None:
        """Ask no more when an answer says that it was the last one for now."""
        if reply.headers.get("x-ratelimit-remaining") != "0":
            return
        reset = reply.headers.get("x-ratelimit-reset", "")
        if reset.isascii() and reset.isdigit() and len(reset) < 12:
            now = self._context.clock.now().timestamp()
            self._context.pause(_NAME, int(reset) - now)

    async def _send_once(
        self, method: str, path: str, accept: str, content: bytes, token: Secret | None
    ) -> Reply:
        headers = {"Accept": accept, "X-GitHub-Api-Version": _VERSION}
        if token is not None:
            headers["Authorization"] = f"Bearer {token.reveal()}"
        address = self._context.url("github", API, path)
        return await self._request.send(address, headers, method=method, content=content)


async def fetch_raw(request: SiteRequest, path: str) -> Reply:
    """A file from the host of raw files, of any status."""
    address = request.context.url("github_raw", RAW, f"/{quote(path)}")
    return await request.send(address)


async def fetch_readme(request: SiteRequest, full_name: str, folder: str = "") -> tuple[str, str]:
    """The README of a folder from the host of raw files, and its name; both empty where there is
    none.
    """
    place = f"{full_name}/HEAD"
    if folder:
        place = f"{place}/{folder.strip('/')}"
    for name in _README_NAMES:
        reply = await fetch_raw(request, f"{place}/{name}")
        if is_success(reply):
            return reply.body.decode("utf-8", "replace"), name
    return "", ""


def check_is_text(reply: Reply) -> bytes:
    """The body of a raw file that is a text. Raises ProviderFailure for any other."""
    if b"\x00" in reply.body[:_LOOKED_AT]:
        raise ProviderFailure("The file is no text.")
    return reply.body


def is_success(reply: Reply) -> bool:
    return reply.status == httpx2.codes.OK
