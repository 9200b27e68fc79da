"""The contract of a model's vendor: one file in `vendors/` builds its requests and reads its
replies. Nothing here opens a socket.

    body = vendor.build_body(request)                       # the first question
    turn = vendor.parse_reply(send(vendor.build_request(encode(body), model, key)), model)
    body = vendor.build_next_body(body, turn, outcomes, request)   # after a search, or a pause

A name says its vendor before the first slash (`openai/gpt-6-luna`); bare names are Anthropic's.
"""

from __future__ import annotations

import ipaddress
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

import httpx2

from webquarry.ask.model_api.turn import Body, ModelRequest, SearchOutcome, Turn
from webquarry.credentials import Credential
from webquarry.errors import BadInput
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.secret import Secret

BARE_VENDOR = "anthropic"  # whose models are named without a slash
THINKING_TOKENS = 2000  # beside the answer, for a model that cannot be kept from thinking
_VERSION = re.compile(r"v\d{1,3}(?:alpha|beta)?\d{0,3}", re.ASCII)


class ModelVendor(ABC):
    """One vendor, at one address."""

    name: ClassVar[str]
    label: ClassVar[str]  # as the subject of a sentence
    credentials: ClassVar[tuple[Credential, ...]] = ()  # the first that is found counts
    needs_key: ClassVar[bool] = True
    default_url: ClassVar[str] = ""  # none: the user has to name one
    url_variable: ClassVar[str] = ""  # a usual name of the variable, beside ours
    version: ClassVar[str] = "v1"  # of the API, as the path has it
    is_own_server: ClassVar[bool] = False  # of the user: slow to start, and free on this machine
    takes_schema_beside_tools: ClassVar[bool] = False
    least_tokens: ClassVar[int] = 1  # the API refuses less
    advice_when_gone: ClassVar[str] = (
        "it was retired, or never existed. Choose another one: --model or WEBQUARRY_ASK_MODEL."
    )

    def __init__(self, url: str = "") -> None:
        self.url = url.rstrip("/") or self.default_url
        if not self.url:
            raise BadInput(
                f"Where the models of {self.name!r} are to be asked is not configured.",
                suggested_action=f"Set WEBQUARRY_{self.name.upper()}_URL to the server's address, "
                "such as http://127.0.0.1:8000.",
            )
        parsed = httpx2.URL(self.url)
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise BadInput(
                f"WEBQUARRY_{self.name.upper()}_URL is no http(s) address.",
                suggested_action="Give it with its scheme, such as http://127.0.0.1:8000.",
            )

    @property
    def url_variables(self) -> list[str]:
        """The variables that may name its address."""
        own = f"WEBQUARRY_{self.name.upper()}_URL"
        return [name for name in (self.url_variable, own) if name]

    @property
    def base(self) -> str:
        """The address below which the API's paths are; the version is in it, given or not."""
        path = httpx2.URL(self.url).path.removesuffix("/openai")  # as some speak two languages
        has_version = _VERSION.fullmatch(path.rpartition("/")[2])
        return self.url if has_version else f"{self.url}/{self.version}"

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the address is a loopback one."""
        return is_loopback(self.url)

    @property
    def is_free(self) -> bool:
        """Whether what has no price costs nothing: a server of the user's on this machine."""
        return self.is_own_server and self.is_on_this_machine

    @property
    def may_send_key(self) -> bool:
        """Whether a key is safe on its way: encrypted, or within this machine."""
        return self.url.lower().startswith("https://") or self.is_on_this_machine

    def count_thinking_tokens(self, model: str) -> int:
        """Tokens to add to the longest answer, for what the model thinks before it."""
        return 0

    def limit_tokens(self, request: ModelRequest) -> int:
        """The longest answer as it is sent, thoughts included; the reserve is made for it."""
        wanted = request.max_tokens + self.count_thinking_tokens(request.model)
        return max(self.least_tokens, wanted)

    @abstractmethod
    def build_body(self, request: ModelRequest) -> Body:
        """The body of the first call; with a search on offer, if the request says so."""

    @abstractmethod
    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """The body of a further call: the turn goes back with what came of its calls, and no tool
        may be chosen; without outcomes, the model is to go on.
        """

    @abstractmethod
    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """The request that sends a body."""

    @abstractmethod
    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """The turn in a reply. Raises `CallFailure` for everything else."""

    def build_probe(self, key: Secret | None) -> httpx2.Request:
        """A request that costs nothing and shows whether the key is good: the list of models."""
        return httpx2.Request("GET", f"{self.base}/models", headers=self.build_headers(key))

    def build_headers(self, key: Secret | None) -> dict[str, str]:
        """The headers of every request."""
        headers = {"content-type": "application/json", "accept": "application/json"}
        if key is not None:
            headers["authorization"] = f"Bearer {key.reveal()}"
        return headers

    def simplify(self, body: Body, request: ModelRequest) -> tuple[str, Body] | None:
        """A body that asks less of a server that refused this one, and the name of what was left
        out; None where nothing can be.
        """
        return None


@cache
def find_vendors() -> Mapping[str, type[ModelVendor]]:
    """Every vendor by name: ours, and those that other packages announce."""
    kinds: list[type[ModelVendor]] = members_of(
        "webquarry.ask.vendors",
        ModelVendor,
        group="webquarry.models",
    )
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


def split_model(name: str) -> tuple[str, str]:
    """The vendor and the model that a name stands for."""
    vendor, slash, model = name.partition("/")
    if slash and vendor.lower() in find_vendors():
        return vendor.lower(), model
    return BARE_VENDOR, name


def open_vendor(name: str, origins: Mapping[str, str]) -> ModelVendor:
    """A vendor at the address that the settings name, or at its own."""
    return find_vendors()[name](origins.get(name, ""))


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = httpx2.URL(url).host.lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
