"""The resources of the research server: lenses, how the providers are doing, its health, and kept
results.

Nothing is sent to anybody to answer them, and no credential is in them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

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
_NOT_FOUND = -32602
_NOT_FOUND_BEFORE_2026 = -32002

Context = ServerRequestContext[Toolkit]


async def lenses(kit: Toolkit) -> Any:
    """Every lens with its domains."""
    found = kit.lenses.values()
    return {
        "lenses": [lens.model_dump(include={"name", "description", "domains"}) for lens in found]
    }


async def providers(kit: Toolkit) -> Any:
    """Every search provider: whether it is configured, and whether it rests after failures."""
    states = kit.router.states()
    found = [
        {
            "name": one.name,
            "label": one.label,
            "kind": one.kind,
            "configured": one.configured,
            "state": states[one.name],
        }
        for one in kit.router.providers()
    ]
    return {"providers": found}


async def health(kit: Toolkit) -> Any:
    """What doctor finds without asking anybody, and what the cache holds.

    Callers of a server for others learn which parts work, and neither its folders and addresses nor
    what others keep.
    """
    from webquarry.surfaces.cli.doctor.checks import examine_parts

    parts = [finding.as_dict() for finding in examine_parts(kit.settings, kit.environ)]
    ours = caller() == LOCAL
    stats = await kit.cache.stats() if ours else []
    return {
        "status": "broken" if any(part["state"] == "broken" for part in parts) else "ok",
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - _STARTED),
        "parts": parts
        if ours
        else [{"name": part["name"], "state": part["state"]} for part in parts],
        "cache": [{"name": one.name, "entries": one.entries, "bytes": one.bytes} for one in stats],
    }


_RESOURCES: dict[str, tuple[str, str, Callable[[Toolkit], Any]]] = {
    "lenses://catalog": ("Lenses", "Named sets of trusted domains that a search can be limited "
                                   "to.", lenses),
    "stats://providers": ("Search providers", "Which providers are configured, and which rest "
                                              "after failures.", providers),
    "diagnostics://health": ("Health", "Version, parts and cache of this server.", health),
}  # fmt: skip


async def list_resources(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=uri,
                name=uri.replace("://", "-"),
                title=title,
                description=description,
                mime_type=MIME_TYPE,
            )
            for uri, (title, description, _) in _RESOURCES.items()
        ]
    )


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
    return types.ListResourceTemplatesResult(resource_templates=[artifact])


async def read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """One resource; a kept result is the same for everybody who knows its address, so it may be
    kept by the client.
    """
    uri, kit = str(params.uri), context.lifespan_context
    if uri in _RESOURCES:
        text = redact(as_json(await _RESOURCES[uri][2](kit)))
        return types.ReadResourceResult(
            contents=[_contents(uri, text)], ttl_ms=0, cache_scope="private"
        )
    artifact = await read_artifact(uri, kit)
    if artifact is None:
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        raise MCPError(
            _NOT_FOUND if modern else _NOT_FOUND_BEFORE_2026,
            "Resource not found",
            {"uri": uri[:300]},
        )
    return types.ReadResourceResult(
        contents=[_contents(uri, artifact)], ttl_ms=LIFE_SECONDS * 1000, cache_scope="private"
    )


def _contents(uri: str, text: str) -> types.TextResourceContents:
    return types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)
