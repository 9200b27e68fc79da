"""Asks the SDK's server for what the front answers in its place: the files in data/mcp/front.

render_prepared("research")    # the text of each file, by its name
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from webquarry import __version__
from webquarry.registry import module_names
from webquarry.surfaces.mcp.front.plain import MODERN_REVISION
from webquarry.surfaces.mcp.front.prepared import SERVER_INFO, SETS, VERSION_MARK
from webquarry.surfaces.mcp.listing import ServedTools
from webquarry.surfaces.mcp.server import build_server

_LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
_CLIENT = {"name": "webquarry", "version": "1"}
_PREFIX = "io.modelcontextprotocol/"


def render_prepared(set_name: str) -> dict[str, str]:
    """The files of a set: where each result is, and the results, one a line."""
    tools = ServedTools(set_name)
    lines: list[str] = []
    places: dict[str, dict[str, list[int]]] = {}
    for revision in KNOWN_PROTOCOL_VERSIONS:
        results = asyncio.run(ask_server(set_name, revision))
        places[revision] = {}
        for method, result in results.items():
            line = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
            if line not in lines:
                lines.append(line)
            before = lines[: lines.index(line)]
            start = sum(len(one.encode()) + 1 for one in before)
            places[revision][method] = [start, len(line.encode())]
    index = {
        "package": tools.package,
        "present": module_names(f"webquarry.tools.{tools.package}"),
        "tools": list(tools),
        "serverInfo": results["server/discover"]["_meta"][SERVER_INFO],
        "places": places,
    }
    text = json.dumps(index, ensure_ascii=False, indent=1) + "\n"
    return {f"{set_name}.json": text, f"{set_name}.jsonl": "\n".join(lines) + "\n"}


async def ask_server(set_name: str, revision: str) -> dict[str, Any]:
    """What the SDK's server answers to the handshake of a revision and to each list, by method;
    what it does not know is left out.
    """
    server = build_server(SETS[set_name], set_name, kit=cast(Any, object()))
    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    results = {}
    with to_server, server_reads, server_writes, from_server:
        async with asyncio.TaskGroup() as tasks:
            options = server.create_initialization_options()
            tasks.create_task(server.run(server_reads, server_writes, options))
            for number, (method, params) in enumerate(_build_requests(revision)):
                request = types.JSONRPCRequest(
                    jsonrpc="2.0", id=number, method=method, params=params
                )
                await to_server.send(SessionMessage(request))
                answer = (await from_server.receive()).message
                if isinstance(answer, types.JSONRPCResponse):
                    results[method] = _mark_version(answer.result)
            await to_server.aclose()
    return results


def _build_requests(revision: str) -> list[tuple[str, dict[str, Any]]]:
    """The first request of a revision, then the lists."""
    if revision == MODERN_REVISION:
        meta = {
            f"{_PREFIX}protocolVersion": revision,
            f"{_PREFIX}clientCapabilities": {},
            f"{_PREFIX}clientInfo": _CLIENT,
        }
        return [(method, {"_meta": meta}) for method in ("server/discover", *_LISTS)]
    handshake = {"protocolVersion": revision, "capabilities": {}, "clientInfo": _CLIENT}
    lists: list[tuple[str, dict[str, Any]]] = [(method, {}) for method in _LISTS]
    return [("initialize", handshake), *lists]


def _mark_version(result: dict[str, Any]) -> dict[str, Any]:
    """The same with a mark in place of the version of this program, which is filled in later."""
    for holder in (result, result.get("_meta") or {}):
        for name in ("serverInfo", f"{_PREFIX}serverInfo"):
            if name in holder:
                assert holder[name]["version"] == __version__
                holder[name] = {**holder[name], "version": VERSION_MARK}
    return result
