"""The resources of the research sets: lenses, providers, health, artifacts, pages, and the app.

Reading one sends no request to the network and returns no credential.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from webquarry import __version__
from webquarry.caller import LOCAL, caller
from webquarry.errors import WebquarryError
from webquarry.mcp.linking import LIFETIME_SECONDS, MIME_TYPE, TEMPLATE, read_artifact
from webquarry.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Message, ProtocolError
from webquarry.mcp.text import as_json
from webquarry.secret import redact
from webquarry.views.app import APP_MIME_TYPE, APP_URI, VIEW_TEMPLATE, parse_view_uri

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_STARTED = time.monotonic()
_PAGE_TEMPLATE = "research://page/{url}"
_PAGE_PREFIX = _PAGE_TEMPLATE.removesuffix("{url}")
# No domains are declared, so hosts allow the app no network access.
_APP_META = {"ui": {"permissions": {"clipboardWrite": {}}, "prefersBorder": True}}
_APP_SECONDS = 3600


async def read_lenses(kit: Toolkit) -> Any:
    """Every lens with its domains."""
    fields = {"name", "description", "domains"}
    return {"lenses": [lens.model_dump(include=fields) for lens in kit.lenses.values()]}


async def read_providers(kit: Toolkit) -> Any:
    """Every search provider, whether it is configured, and the state of its circuit breaker."""
    states = kit.router.states()
    rows = []
    for provider in kit.router.providers():
        row = {
            "name": provider.name,
            "label": provider.label,
            "kind": provider.kind,
            "configured": provider.configured,
            "state": states[provider.name],
        }
        rows.append(row)
    return {"providers": rows}


async def read_health(kit: Toolkit) -> Any:
    """The checks of `doctor` that need no network, and the size of the cache.

    Remote callers get the state of each part, without paths, addresses and the cache of others.
    """
    from webquarry.doctor.checks import examine_parts

    results = examine_parts(kit.settings, kit.environ)
    cache = []
    if caller() == LOCAL:
        parts = [result.as_dict() for result in results]
        for store in await kit.cache.stats():
            cache.append({"name": store.name, "entries": store.entries, "bytes": store.bytes})
    else:
        parts = [{"name": result.name, "state": result.state} for result in results]
    is_broken = any(result.state == "broken" for result in results)
    return {
        "status": "broken" if is_broken else "ok",
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - _STARTED),
        "parts": parts,
        "cache": cache,
    }


_FIXED = {  # uri -> title, description, function
    "lenses://catalog": (
        "Lenses",
        "Named sets of trusted domains that a search can be limited to.",
        read_lenses,
    ),
    "stats://providers": (
        "Search providers",
        "Which providers are configured, and which rest after failures.",
        read_providers,
    ),
    "diagnostics://health": ("Health", "Version, parts and cache of this server.", read_health),
}
_TEMPLATES = {  # uri -> name, title, description
    TEMPLATE: (
        "artifact",
        "A large result",
        "The whole of a result that was linked to; kept for an hour.",
    ),
    _PAGE_TEMPLATE: (
        "page",
        "A page that was read",
        "All that is kept of a page that scrape_page has read within the hour: its text with "
        "links, its citation in every form, its structured data.",
    ),
    VIEW_TEMPLATE: (  # of the app
        "view",
        "A view of the research",
        "What show_research shows, in full: sessions, session, sources, bill, or page, the kept "
        "text of a source with its quotes marked.",
    ),
}


def describe_resources(*, with_app: bool) -> list[Message]:
    """The resources as `resources/list` shows them."""
    resources = []
    for uri, (title, description, _) in _FIXED.items():
        name = uri.replace("://", "-")
        resources.append({"uri": uri, **_describe(name, title, description)})
    if with_app:
        text = "Sessions, sources, texts with their quotes marked, and the bill."
        described = _describe("page", "Research", text, APP_MIME_TYPE)
        resources.append({"uri": APP_URI, **described, "_meta": _APP_META})
    return resources


def describe_templates(*, with_app: bool) -> list[Message]:
    """The templates as `resources/templates/list` shows them."""
    return [
        {"uriTemplate": uri, **_describe(*texts)}
        for uri, texts in _TEMPLATES.items()
        if with_app or uri != VIEW_TEMPLATE
    ]


def _describe(name: str, title: str, description: str, mime_type: str = MIME_TYPE) -> Message:
    return {"name": name, "title": title, "description": description, "mimeType": mime_type}


async def read_resource(uri: str, kit: Toolkit, *, is_modern: bool) -> Message:
    """The result of `resources/read`, with cache hints."""
    if uri in _FIXED:
        _, _, read = _FIXED[uri]
        return _build_result(uri, redact(as_json(await read(kit))))
    if uri == APP_URI:
        from webquarry.views.page_file import load_app

        content = {"uri": uri, "mimeType": APP_MIME_TYPE, "text": load_app(), "_meta": _APP_META}
        return {"contents": [content], "ttlMs": _APP_SECONDS * 1000, "cacheScope": "public"}
    problem = "Resource not found"
    view = parse_view_uri(uri)
    if view is not None:
        try:
            return _build_result(uri, await _read_view(*view, kit))
        except WebquarryError as error:
            problem = redact(error.sentences)
    if uri.startswith(_PAGE_PREFIX):
        page = await read_page(uri, kit)
        if page is not None:
            return _build_result(uri, page)
        problem = "The page is not kept: call scrape_page with its url first."
    artifact = await read_artifact(uri, kit)
    if artifact is not None:
        return _build_result(uri, artifact, LIFETIME_SECONDS)
    code = INVALID_PARAMS if is_modern else RESOURCE_NOT_FOUND
    raise ProtocolError(code, problem, {"uri": redact(uri)[:300]})


async def _read_view(name: str, parameters: dict[str, str], kit: Toolkit) -> str:
    """A view of the app as JSON, filtered like an answer."""
    from webquarry.pages.outgoing import filter_value
    from webquarry.views.catalogue import VIEWS, answer_view

    return redact(as_json(filter_value(await answer_view(VIEWS, kit, name, parameters))))


async def read_page(uri: str, kit: Toolkit) -> str | None:
    """The cached snapshot of a page as JSON; None if there is none."""
    from webquarry.pages.jobs import build_description_job

    url = uri.removeprefix(_PAGE_PREFIX)
    if "://" not in url:
        url = unquote(url)  # as the template encodes it
    snapshot = await kit.pages.find_kept(url)
    if snapshot is None:
        return None
    described = await kit.pages.runner.run(build_description_job(snapshot))
    return redact(described.decode())


def _build_result(uri: str, text: str, lifetime_seconds: int = 0) -> Message:
    content = {"uri": uri, "mimeType": MIME_TYPE, "text": text}
    return {"contents": [content], "ttlMs": lifetime_seconds * 1000, "cacheScope": "private"}
