"""Two truths must not drift: whatever is said to it, the front of a server on stdio answers as the
SDK's server alone does.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from tests.surfaces.mcp.front_messages import (
    BATCH,
    CANCELLED,
    ENVELOPE,
    EVERYTHING,
    LINES,
    ME,
    PREFIX,
    REQUESTS,
    SEARCH,
    SHOWS_APPS,
    envelop,
    notice,
    number,
    request,
    settle,
    shake_hands,
)
from tests.surfaces.mcp.stdio_process import PATIENCE, command_of

pytestmark = pytest.mark.slow
SHOWING = {f"{PREFIX}clientCapabilities": {"extensions": SHOWS_APPS}}

CONVERSATIONS: dict[str, list[Any]] = {
    **{
        revision: [*shake_hands(revision), *CANCELLED, *LINES, BATCH, *EVERYTHING]
        for revision in HANDSHAKE_PROTOCOL_VERSIONS
    },
    LATEST_MODERN_VERSION: [
        request(1, "server/discover", {"_meta": ENVELOPE}),
        *LINES,
        *number([(method, envelop(params)) for method, params in REQUESTS]),
        *number(
            [
                ("tools/list", envelop({}, **{f"{PREFIX}protocolVersion": "2030-01-01"})),
                ("tools/list", envelop({}, **{f"{PREFIX}clientCapabilities": 5})),
                ("tools/list", envelop({}, **{f"{PREFIX}clientInfo": {"name": "x"}})),
                ("tools/list", envelop({}, **{f"{PREFIX}logLevel": "info"})),
                ("tools/list", {}),
            ],
            first=200,
        ),
        *shake_hands("2025-11-25"),
    ],
    "a call comes first, without a handshake": [request(1, "tools/call", envelop(SEARCH))],
    "an unknown revision": [*shake_hands("1999-01-01"), request(1, "tools/list")],
    "the revision without a handshake, by a handshake": [
        *shake_hands(LATEST_MODERN_VERSION),
        request(1, "tools/list"),
        request(2, "tools/list", envelop({})),
    ],
    "a handshake without params": [request(1, "initialize"), request(2, "tools/list")],
    "a handshake of the wrong shape": [
        *shake_hands(5),
        *shake_hands("2025-06-18", capabilities=[]),
        *shake_hands("2025-06-18", clientInfo={"name": "x"}),
        *shake_hands("2025-06-18", capabilities={"roots": {"listChanged": "so"}, "tasks": {}}),
        request(2, "tools/list"),
    ],
    "two handshakes": [
        *shake_hands("2025-06-18"),
        request(1, "tools/list"),
        *shake_hands("2024-11-05"),
        request(2, "tools/call", SEARCH),
    ],
    "no handshake": [
        request(1, "ping"),
        request(2, "tools/list"),
        request(3, "tools/call", SEARCH),
        request(4, "nobody/knows"),
        request(5, "tools/list", envelop({})),
        *shake_hands("2025-06-18"),
        request(6, "tools/list"),
    ],
    "a notice comes first": [
        notice("notifications/initialized"),
        request(1, "tools/list"),
        *shake_hands("2025-06-18"),
    ],
    **{
        f"a client that shows apps, {revision}": [
            *shake_hands(revision, capabilities={"extensions": SHOWS_APPS}),
            request(1, "tools/list"),
            request(2, "resources/list"),
            request(3, "resources/read", {"uri": "ui://webquarry/page.html"}),
        ]
        for revision in ("2025-06-18", "2025-11-25")
    },
    "a client that shows apps": [
        request(1, "server/discover", envelop({}, **SHOWING)),
        request(2, "tools/list", envelop({}, **SHOWING)),
        request(3, "resources/read", envelop({"uri": "ui://webquarry/page.html"}, **SHOWING)),
    ],
    "a client with an odd extension": [
        *shake_hands("2025-11-25", capabilities={"extensions": {f"{PREFIX}ui": 5}}),
        request(1, "tools/list"),
    ],
    "a large client": [
        *shake_hands(
            "2025-11-25",
            capabilities={
                "roots": {"listChanged": True},
                "sampling": {"tools": {}},
                "elicitation": {"form": {}, "url": {}},
                "experimental": {"x": {}},
                "tasks": {"list": {}},
            },
            clientInfo={**ME, "title": "T", "icons": [{"src": "https://x.example/i.png"}]},
        ),
        request(1, "tools/call", SEARCH),
    ],
}


def talk(folder: Path, front: str, messages: list[Any], *arguments: str) -> list[Any]:
    """All that a server answers to these lines, in an order of its own."""
    folder.mkdir()
    environ = {
        "HOME": str(folder),
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_LINK_THRESHOLD_BYTES": "6000",
        "WEBQUARRY_MCP_FRONT": front,
    }
    said = []
    for message in messages:
        said.append(message if isinstance(message, str) else json.dumps(message))
    done = subprocess.run(
        [*command_of(("webquarry",)), "mcp", *arguments],
        input="\n".join(said) + "\n",
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE * 4,
    )
    assert done.returncode == 0, done.stderr
    answers = [settle(json.loads(line)) for line in done.stdout.splitlines()]
    return sorted(json.dumps(answer, sort_keys=True) for answer in answers)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_front_answers_as_the_sdk_does(name: str, tmp_path: Path) -> None:
    by_front = talk(tmp_path / "front", "1", CONVERSATIONS[name])
    by_sdk = talk(tmp_path / "sdk", "0", CONVERSATIONS[name])

    assert len(by_front) == len(by_sdk)
    for ours, theirs in zip(by_front, by_sdk, strict=True):
        assert json.loads(ours) == json.loads(theirs)
