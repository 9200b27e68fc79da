"""Requests without their question: model, limits, search, schema, instructions; and the answers
that are in memory for each of them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from webquarry.ask.models import KeptAnswer, Question
from webquarry.ask.options import MAX_NAME_LENGTH, Options
from webquarry.ask.schema import Schema
from webquarry.ask.searching import Searcher
from webquarry.ask.vendors.base import (
    BARE_VENDOR,
    ModelRequest,
    ModelVendor,
    find_vendors,
    open_vendor,
    split_model,
)
from webquarry.caller import caller
from webquarry.errors import AuthFailure, BadInput
from webquarry.settings import Settings

PROMPT_VERSION = 1  # part of the digest; increase it when the texts that are sent change
MOST_REMEMBERED = 100_000  # answers in memory; the others are in the record file
_MOST_TOKENS = 128_000


@dataclass(frozen=True, eq=False)
class RequestTemplate:
    """A request without its question."""

    vendor: ModelVendor
    model: str  # as the user names it, and as it is on the bill
    max_tokens: int
    provider: str = ""  # of the search; empty for none
    schema: Schema | None = None
    instructions: str | None = None
    caller: str = ""
    # Answers by context and prompt.
    kept: dict[tuple[str, str], KeptAnswer] = field(default_factory=dict, repr=False)

    @property
    def vendor_model(self) -> str:
        """The vendor's name for the model."""
        return self.model.removeprefix(f"{self.vendor.name}/")

    @cached_property
    def longest_answer(self) -> int:
        """Maximum tokens of an answer, thinking included."""
        return self.vendor.limit_tokens(self.build_request("", ""))

    def build_request(self, context: str, prompt: str) -> ModelRequest:
        """Return the request with its question."""
        return ModelRequest(
            model=self.vendor_model,
            max_tokens=self.max_tokens,
            question=f"Context: {context}\n\nQuestion: {prompt}",
            instructions=self.instructions,
            schema=self.schema.json_schema() if self.schema else None,
            offers_search=bool(self.provider),
        )

    @cached_property
    def encoded(self) -> bytes:
        """The body without the question, in one canonical form."""
        body = self.vendor.build_body(self.build_request("", ""))
        return json.dumps(body, sort_keys=True).encode()

    @cached_property
    def _digest_prefix(self) -> bytes:
        """Everything but the question that decides the answer."""
        form = self.schema.text if self.schema else ""
        facts = (self.vendor.name, self.vendor.url, self.model, form, self.provider, self.caller)
        return json.dumps([PROMPT_VERSION, *facts]).encode() + self.encoded

    def digest(self, context: str, prompt: str) -> str:
        """Return the key of the answer: a hash of everything that decides it."""
        # With the length, text cannot move from the context to the prompt.
        question = f"\n{len(context)} {context}{prompt}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(self._digest_prefix + question).hexdigest()


class TemplateResolver:
    """The templates of one engine."""

    def __init__(self, settings: Settings, options: Options, searcher: Searcher) -> None:
        self._origins = settings.origins
        self._options = options
        self._searcher = searcher
        self._vendors: dict[str, ModelVendor] = {}
        self._templates: dict[tuple[object, ...], RequestTemplate] = {}
        self._remembered = 0

    def resolve(self, question: Question) -> RequestTemplate:
        """Return the template of a question; equal requests share one. Raises BadInput and
        AuthFailure.
        """
        tokens = question.max_tokens
        if not 1 <= tokens <= _MOST_TOKENS:
            raise BadInput(f"`max_tokens` must be from 1 to {_MOST_TOKENS} (got {tokens}).")
        schema = Schema.parse(question.schema) if question.schema else None
        vendor, model = self._parse_model(question.model or self._options.model)
        provider = self._choose_provider(question.search)
        instructions = question.instructions or None
        form = schema.text if schema else None
        facts = (model, tokens, provider, form, instructions, caller())
        template = self._templates.get(facts)
        if template is None:
            template = self._templates[facts] = RequestTemplate(
                vendor, model, tokens, provider, schema, instructions, caller()
            )
        return template

    def find_vendor(self, model: str) -> ModelVendor:
        """Return the vendor of a model."""
        return self._get_vendor(split_model(model.strip())[0])

    def remember(self, template: RequestTemplate, question: Question, kept: KeptAnswer) -> None:
        """Keep an answer in memory; when there are too many, all of them are dropped."""
        if self._remembered >= MOST_REMEMBERED:
            for one in self._templates.values():
                one.kept.clear()
            self._remembered = 0
        self._remembered += 1
        template.kept[question.context, question.prompt] = kept

    def _parse_model(self, name: str) -> tuple[ModelVendor, str]:
        """Return the vendor and the full name of the model."""
        name = name.strip()
        if not name.isprintable() or not name or len(name) > MAX_NAME_LENGTH:
            raise BadInput("The name of the model is blank, too long, or has a control character.")
        vendor, own_name = split_model(name)
        if not own_name:
            raise BadInput(f"The name {name!r} has a vendor but no model.")
        if vendor != BARE_VENDOR:
            return self._get_vendor(vendor), f"{vendor}/{own_name}"
        # Another server at Anthropic's address may use any names.
        if "/" in own_name and BARE_VENDOR not in self._origins:
            raise BadInput(
                f"No vendor of models is called {own_name.partition('/')[0]!r}.",
                suggested_action=f"Start the name with one of: {', '.join(find_vendors())}.",
            )
        return self._get_vendor(vendor), own_name

    def _get_vendor(self, name: str) -> ModelVendor:
        vendor = self._vendors.get(name)
        if vendor is None:
            vendor = self._vendors[name] = open_vendor(name, self._origins)
        return vendor

    def _choose_provider(self, search: bool | None) -> str:
        """Return the search provider of the options if it is configured; empty for none."""
        name = self._options.search_provider
        if search is False:
            return ""
        if name != "none" and self._searcher.router.provider(name).configured:
            return name
        if search:
            raise AuthFailure(
                "A search was requested, and no search provider is configured (search_provider "
                f"is {name!r}).",
                suggested_action="Set BRAVE_API_KEY, put the key into ~/.stps/brave_api_key, or "
                "in SQL call stps_set_brave_api_key('...').",
            )
        return ""
