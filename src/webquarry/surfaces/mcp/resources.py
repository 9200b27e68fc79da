"""The resources of the research server: lenses, how the providers are doing, its health, kept
results and pages, and the page as an app with what its views show.

Nothing is sent to anybody to answer them, and no credential is in them.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from webquarry import __version__
from webquarry.caller import LOCAL, caller
from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.mcp.linking import LIFE_SECONDS, MIME_TYPE, TEMPLATE, read_artifact
from webquarry.surfaces.mcp.text import as_json, encode_json
from webquarry.toolkit import Toolkit
from webquarry.views.app import APP_MIME_TYPE, APP_URI, VIEW_TEMPLATE, parse_view_uri

_STARTED = time.monotonic()
_PAGE_TEMPLATE = "research://page/{url}"
_PAGE_PREFIX = _PAGE_TEMPLATE.removesuffix("{url}")
_NOT_FOUND = -32602
_NOT_FOUND_BEFORE_2026 = -32002

Context = ServerRequestContext[Toolkit]


async def lenses(kit: Toolkit) -> Any:
    """Every lens with its domains."""
    catalog = []
    for lens in kit.lenses.values():
        catalog.append(lens.model_dump(include={"name", "description", "domains"}))
    return {"lenses": catalog}


async def providers(kit: Toolkit) -> Any:
    """Every search provider: whether it is configured, and whether it rests after failures."""
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


async def health(kit: Toolkit) -> Any:
    """What doctor finds without asking anybody, and what the cache holds.

    Callers of a server for others learn which parts work, and neither its folders and addresses nor
    what others keep.
    """
    from webquarry.surfaces.doctor.checks import examine_parts

    results = examine_parts(kit.settings, kit.environ)
    is_broken = any(result.state == "broken" for result in results)
    cache = []
    if caller() == LOCAL:
        parts = [result.as_dict() for result in results]
        for store in await kit.cache.stats():
            row = {"name": store.name, "entries": store.entries, "bytes": store.bytes}
            cache.append(row)
    else:
        parts = [{"name": result.name, "state": result.state} for result in results]
    return {
        "status": "broken" if is_broken else "ok",
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - _STARTED),
        "parts": parts,
        "cache": cache,
    }


@dataclass(frozen=True)
class _FixedResource:
    """A resource that is always there: how it is listed, and what reads it."""

    title: str
    description: str
    read: Callable[[Toolkit], Awaitable[Any]]


_RESOURCES = {
    "lenses://catalog": _FixedResource(
        "Lenses", "Named sets of trusted domains that a search can be limited to.", lenses
    ),
    "stats://providers": _FixedResource(
        "Search providers",
        "Which providers are configured, and which rest after failures.",
        providers,
    ),
    "diagnostics://health": _FixedResource(
        "Health", "Version, parts and cache of this server.", health
    ),
}


# Nothing is declared that the page may reach, so that a host lets it reach nothing.
_APP_META = {"ui": {"permissions": {"clipboardWrite": {}}, "prefersBorder": True}}
_APP_SECONDS = 3600

ListHandler = Callable[
    [Context, types.PaginatedRequestParams | None], Awaitable[types.ListResourcesResult]
]
TemplatesHandler = Callable[
    [Context, types.PaginatedRequestParams | None], Awaitable[types.ListResourceTemplatesResult]
]


def build_list(*, with_app: bool) -> ListHandler:
    """What answers `resources/list`, with the app where a tool of the set has it."""
    result = types.ListResourcesResult(resources=_describe_resources(with_app=with_app))

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return result

    return list_resources


def _describe_resources(*, with_app: bool) -> list[types.Resource]:
    resources = []
    for uri, resource in _RESOURCES.items():
        described = types.Resource(
            uri=uri,
            name=uri.replace("://", "-"),
            title=resource.title,
            description=resource.description,
            mime_type=MIME_TYPE,
        )
        resources.append(described)
    if with_app:
        app = types.Resource(
            uri=APP_URI,
            name="page",
            title="Research",
            description="Sessions, sources, texts with their quotes marked, and the bill.",
            mime_type=APP_MIME_TYPE,
            _meta=_APP_META,
        )
        resources.append(app)
    return resources


def build_templates(*, with_app: bool) -> TemplatesHandler:
    """What answers `resources/templates/list`."""
    templates = _describe_templates(with_app=with_app)
    result = types.ListResourceTemplatesResult(resource_templates=templates)

    async def list_templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return result

    return list_templates


def _describe_templates(*, with_app: bool) -> list[types.ResourceTemplate]:
    artifact = types.ResourceTemplate(
        uri_template=TEMPLATE,
        name="artifact",
        title="A large result",
        description="The whole of a result that was linked to; kept for an hour.",
        mime_type=MIME_TYPE,
    )
    page = types.ResourceTemplate(
        uri_template=_PAGE_TEMPLATE,
        name="page",
        title="A page that was read",
        description="All that is kept of a page that scrape_page has read within the hour: its "
        "text with links, its citation in every form, its structured data.",
        mime_type=MIME_TYPE,
    )
    if not with_app:
        return [artifact, page]
    view = types.ResourceTemplate(
        uri_template=VIEW_TEMPLATE,
        name="view",
        title="A view of the research",
        description="What show_research shows, in full: sessions, session, sources, bill, or page, "
        "the kept text of a source with its quotes marked.",
        mime_type=MIME_TYPE,
    )
    return [artifact, page, view]


async def read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """One resource; a kept result is the same for everybody who knows its address, so it may be
    kept by the client.
    """
    uri = str(params.uri)
    kit = context.lifespan_context
    if uri in _RESOURCES:
        content = await _RESOURCES[uri].read(kit)
        return _build_result(uri, redact(as_json(content)), life_seconds=0)
    if uri == APP_URI:
        return _build_app(uri)
    problem = "Resource not found"
    view = parse_view_uri(uri)
    if view is not None:
        try:
            return _build_result(uri, await _read_view(*view, kit), life_seconds=0)
        except WebquarryError as error:
            problem = redact(error.sentences)
    if uri.startswith(_PAGE_PREFIX):
        page = await _read_page(uri, kit)
        if page is not None:
            return _build_result(uri, page, life_seconds=0)
        problem = "The page is not kept: call scrape_page with its url first."
    artifact = await read_artifact(uri, kit)
    if artifact is not None:
        return _build_result(uri, artifact, LIFE_SECONDS)
    code = _NOT_FOUND_BEFORE_2026
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        code = _NOT_FOUND
    raise MCPError(code, problem, {"uri": redact(uri)[:300]})


async def _read_view(name: str, parameters: dict[str, str], kit: Toolkit) -> str:
    """What a view shows, every text in it filtered as in an answer."""
    from webquarry.pages.outgoing import filter_value
    from webquarry.views.catalogue import VIEWS, answer_view

    data = filter_value(await answer_view(VIEWS, kit, name, parameters))
    return redact(await encode_json(data))


async def _read_page(uri: str, kit: Toolkit) -> str | None:
    """All that is kept of a page; None where it is not, or no longer."""
    from webquarry.pages.jobs import build_description_job

    url = uri.removeprefix(_PAGE_PREFIX)
    if "://" not in url:
        url = unquote(url)  # as the template writes it
    snapshot = await kit.pages.find_kept(url)
    if snapshot is None:
        return None
    described = await kit.pages.runner.run(build_description_job(snapshot))
    return redact(described.decode())


def _build_app(uri: str) -> types.ReadResourceResult:
    from webquarry.surfaces.ui.page_file import load_app

    contents = types.TextResourceContents(
        uri=uri, mime_type=APP_MIME_TYPE, text=load_app(), _meta=_APP_META
    )
    return types.ReadResourceResult(
        contents=[contents], ttl_ms=_APP_SECONDS * 1000, cache_scope="public"
    )


def _build_result(uri: str, text: str, life_seconds: int) -> types.ReadResourceResult:
    contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)
    return types.ReadResourceResult(
        contents=[contents], ttl_ms=life_seconds * 1000, cache_scope="private"
    )
