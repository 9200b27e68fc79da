"""Options of a request in, its template out: which model, who searches, under which origin; and the
answers remembered.

A template is looked up often (for every chunk of rows) and made rarely: what it was made from is
looked at again after a second, or as soon as a key or an option has changed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.schema import Schema
from webquarry.ask.keys import Keys
from webquarry.ask.models import MAX_TOKENS
from webquarry.ask.options import Options
from webquarry.ask.vendors.base import (
    BARE_VENDOR,
    ModelVendor,
    find_vendors,
    open_vendor,
    split_model,
)
from webquarry.caller import caller
from webquarry.errors import AuthFailure, BadInput
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._search.models import Found, Query
    from webquarry._search.router import Router

MOST_REMEMBERED = 100_000  # answers in memory; the record file has the others
_MOST_RESOLVED = 10_000  # combinations of options, before all of them are looked up anew
_GOOD_SECONDS = 1.0
_MOST_TOKENS = 128_000
_MOST_NAME_LETTERS = 200
_NO_PROVIDER = ("none", "off", "")


class RequestOptions(NamedTuple):
    """What a question may say of the request; None where it leaves that to the options."""

    model: str | None
    max_tokens: int | None
    search: bool | None
    schema: str | None
    instructions: str | None


class _Resolved(NamedTuple):
    """A template, and until when nothing has to be looked at again."""

    good_until: float
    versions: tuple[int, int]  # of the keys and the options
    template: RequestTemplate


class TemplateResolver:
    """The templates of one engine, and its search providers."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        options: Options,
        open_router: Callable[[Mapping[str, str]], Router],
    ) -> None:
        self._origins = settings.origins
        self._vendors: dict[str, ModelVendor] = {}
        self._keys = keys
        self._options = options
        self._open_router = open_router
        self._router: tuple[Mapping[str, str], Router] | None = None
        self._templates: dict[tuple[object, ...], RequestTemplate] = {}
        self._resolved: dict[tuple[object, ...], _Resolved] = {}
        self._remembered = 0

    def resolve(self, options: RequestOptions) -> RequestTemplate:
        """The template of a request with these options."""
        key = (*options, caller())
        known = self._resolved.get(key)
        now = time.monotonic()
        versions = (self._keys.version, self._options.version)
        if known is not None and now < known.good_until and versions == known.versions:
            return known.template
        # Made anew, with the keys and options of now.
        if len(self._resolved) > _MOST_RESOLVED:
            self._resolved.clear()
        template = self._build_template(options)
        self._resolved[key] = _Resolved(now + _GOOD_SECONDS, versions, template)
        return template

    def get_vendor(self, name: str) -> ModelVendor:
        """A vendor at its address."""
        vendor = self._vendors.get(name)
        if vendor is None:
            vendor = self._vendors[name] = open_vendor(name, self._origins)
        return vendor

    def find_vendor(self, model: str) -> ModelVendor:
        """The vendor of a model."""
        return self.get_vendor(split_model(model.strip())[0])

    def remember(
        self, template: RequestTemplate, context: str, prompt: str, kept: KeptAnswer
    ) -> None:
        """Keep an answer in memory; when there are too many, the older half of each template's make
        room.
        """
        self._remembered += (context, prompt) not in template.kept
        template.kept[context, prompt] = kept
        if self._remembered <= MOST_REMEMBERED:
            return
        for one in self._templates.values():
            half = max(1, len(one.kept) // 2)
            oldest = list(one.kept)[:half]
            for key in oldest:
                del one.kept[key]
            self._remembered -= len(oldest)

    async def search(self, provider: str, query: Query) -> Found:
        """Ask the provider through the router, with its cache, its pace and its breaker."""
        return await self._get_router().route(query, provider=provider)

    def get_search_interval(self, provider: str) -> float:
        """The least number of seconds between two searches of a provider."""
        return self._get_router().provider(provider).min_interval_seconds

    def describe_search_key(self, provider: str) -> str:
        """What tells the credentials of a provider from others, and tells nobody what they are."""
        found = self._get_router().provider(provider)
        parts = [provider]
        for wanted in found.credentials:
            if wanted.variable not in found.missing:
                parts.append(found.credential(wanted.variable))
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]

    def _build_template(self, options: RequestOptions) -> RequestTemplate:
        """Check the options and fill in what they leave open; equal requests share a template."""
        tokens = options.max_tokens
        if tokens is None:
            tokens = MAX_TOKENS
        if not 1 <= tokens <= _MOST_TOKENS:
            raise BadInput(
                f"max_tokens is {tokens}; it takes a whole number from 1 to {_MOST_TOKENS}."
            )
        schema = Schema.parse(options.schema) if options.schema else None
        model = (options.model or self._options.model).strip()
        if not model.isprintable() or not model or len(model) > _MOST_NAME_LETTERS:
            raise BadInput(
                "The name of the model is blank, too long, or holds a control character."
            )
        vendor_name, own_name = split_model(model)
        if not own_name:
            raise BadInput(f"The name {model!r} has a vendor and no model.")
        if "/" in own_name and vendor_name == BARE_VENDOR and BARE_VENDOR not in self._origins:
            # Whoever puts another server in Anthropic's place may call its models as it likes.
            raise BadInput(
                f"No vendor of models is called {own_name.partition('/')[0]!r}.",
                suggested_action=f"Begin the name with one of: {', '.join(find_vendors())}.",
            )
        if vendor_name == BARE_VENDOR:
            model = own_name  # named with its vendor or not, it is the same
        else:
            model = f"{vendor_name}/{own_name}"
        provider = self._choose_provider(options.search)
        instructions = options.instructions or None
        asked_by = caller()
        # Equal requests share one template, and with it the answers kept for it.
        form = schema.text if schema else None
        facts = (model, tokens, provider, form, instructions, asked_by)
        template = self._templates.get(facts)
        if template is None:
            template = RequestTemplate(
                self.get_vendor(vendor_name),
                model,
                tokens,
                provider,
                schema,
                instructions,
                asked_by,
            )
            self._templates[facts] = template
        return template

    def _choose_provider(self, search: bool | None) -> str:
        """Who searches: the provider of the options, if it is configured."""
        name = self._options.search_provider
        if search is False or (name in _NO_PROVIDER and not search):
            return ""
        if name not in _NO_PROVIDER:
            provider = self._get_router().provider(name)
            if provider.configured:
                return provider.name
        if search:
            raise AuthFailure(
                "A search was asked for, and no search provider is configured (search_provider "
                f"is {name!r}).",
                suggested_action="Set BRAVE_API_KEY, put the key into ~/.stps/brave_api_key, or "
                "in SQL call stps_set_brave_api_key('...').",
            )
        return ""

    def _get_router(self) -> Router:
        """The router that sees the keys of this engine; a new one when they have changed."""
        environ = self._keys.environ()
        if self._router is not None and self._router[0] == environ:
            return self._router[1]
        router = self._open_router(environ)
        self._router = (environ, router)
        return router
