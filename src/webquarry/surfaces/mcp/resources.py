"""The resources of the research server: lenses, how the providers are doing, its health, and kept
results and pages.

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
from webquarry.secret import redact
from webquarry.surfaces.mcp.linking import LIFE_SECONDS, MIME_TYPE, TEMPLATE, read_artifact
from webquarry.surfaces.mcp.text import as_json
from webquarry.toolkit import Toolkit

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


async def list_resources(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
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
    return types.ListResourcesResult(resources=resources)


async def list_templates(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
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
    return types.ListResourceTemplatesResult(resource_templates=[artifact, page])


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
    problem = "Resource not found"
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


def _build_result(uri: str, text: str, life_seconds: int) -> types.ReadResourceResult:
    contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)
    return types.ReadResourceResult(
        contents=[contents], ttl_ms=life_seconds * 1000, cache_scope="private"
    )
