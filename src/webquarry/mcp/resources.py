"""The resources of the research sets: lenses, providers, health, artifacts, pages, and the app.

Reading one sends no request to the network and returns no credential.
"""

from __future__ import annotations

from tomllib import loads
from typing import TYPE_CHECKING
from urllib.parse import unquote

from webquarry.errors import WebquarryError
from webquarry.mcp.linking import LIFETIME_SECONDS, MIME_TYPE, read_artifact
from webquarry.mcp.listing import read_data
from webquarry.mcp.protocol import (
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    Message,
    ProtocolError,
    as_json,
)
from webquarry.secret import redact
from webquarry.views.app import APP_URI, parse_view_uri

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_LENSES, _PROVIDERS, _HEALTH = "lenses://catalog", "stats://providers", "diagnostics://health"
_PAGE_PREFIX = "research://page/"
_APP_SECONDS = 3600


async def read_resource(uri: str, kit: Toolkit, *, is_modern: bool) -> Message:
    """The result of `resources/read`, with cache hints."""
    if uri in (_LENSES, _PROVIDERS, _HEALTH):
        return _build_result(uri, redact(as_json(await _read_fixed(uri, kit))))
    if uri == APP_URI:
        from webquarry.views.app import load_app

        (listed,) = loads(read_data("server.toml"))["app"]["resources"]
        content = {"uri": uri, "mimeType": listed["mimeType"], "text": load_app()}
        content["_meta"] = listed["_meta"]
        return {"contents": [content], "ttlMs": _APP_SECONDS * 1000, "cacheScope": "public"}
    problem = "Resource not found"
    view = parse_view_uri(uri)
    if view is not None:
        try:
            return _build_result(uri, await _read_view(*view, kit))
        except WebquarryError as error:
            problem = redact(error.sentences)
    if uri.startswith(_PAGE_PREFIX):
        url = uri.removeprefix(_PAGE_PREFIX)
        if "://" not in url:
            url = unquote(url)  # as the template encodes it
        page = await kit.pages.describe_kept(url)
        if page is not None:
            return _build_result(uri, redact(page.decode()))
        problem = "The page is not kept: call scrape_page with its url first."
    artifact = await read_artifact(uri, kit)
    if artifact is not None:
        return _build_result(uri, artifact, LIFETIME_SECONDS)
    code = INVALID_PARAMS if is_modern else RESOURCE_NOT_FOUND
    raise ProtocolError(code, problem, {"uri": redact(uri)[:300]})


async def _read_fixed(uri: str, kit: Toolkit) -> Message:
    from webquarry.doctor.checks import describe_health

    if uri == _LENSES:
        lenses = []
        for lens in kit.lenses.values():
            described = {"description": lens.description, "domains": lens.domains}
            lenses.append({"name": lens.name, **described})
        return {"lenses": lenses}
    if uri == _PROVIDERS:
        return {"providers": kit.router.describe_providers()}
    return await describe_health(kit)


async def _read_view(name: str, parameters: dict[str, str], kit: Toolkit) -> str:
    """A view of the app as JSON, filtered like an answer."""
    from webquarry.pages.outgoing import filter_value
    from webquarry.views.research import VIEWS, answer_view

    return redact(as_json(filter_value(await answer_view(VIEWS, kit, name, parameters))))


def _build_result(uri: str, text: str, lifetime_seconds: int = 0) -> Message:
    content = {"uri": uri, "mimeType": MIME_TYPE, "text": text}
    return {"contents": [content], "ttlMs": lifetime_seconds * 1000, "cacheScope": "private"}
