"""The front of a server on stdio: what it loads and when, what is prepared, how it is turned off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.surfaces.mcp.front_messages import ENVELOPE, SEARCH, request, shake_hands
from tests.surfaces.mcp.stdio_process import PATIENCE, lines
from webquarry.surfaces.mcp.front.plain import MODERN_REVISION
from webquarry.surfaces.mcp.front.prepared import find_prepared

HEAVY = ("asyncio", "logging", "dataclasses", "typing", "pydantic", "mcp", "mcp_types", "anyio")
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


def run_and_list_modules(name: str, arguments: list[str], said: list[Any], **environ: str) -> Any:
    """The answers to these messages, and which heavy modules were there at the end."""
    code = (
        "import sys, signal\n"
        f"sys.argv = {[name, *arguments]!r}\n"
        "from webquarry.__main__ import main\n"
        "from webquarry.surfaces.mcp.websearch import main as websearch\n"
        f"ended = {'main' if name == 'webquarry' else 'websearch'}()\n"
        f"print([one for one in {HEAVY!r} if one in sys.modules], file=sys.stderr)\n"
        "sys.exit(ended)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(message) + "\n" for message in said),
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.strip()


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("name", ["webquarry", "websearch-mcp"])
def test_nothing_heavy_is_loaded_for_the_handshake_and_the_lists(name: str, revision: str) -> None:
    arguments = ["mcp"] if name == "webquarry" else []
    methods = LISTS if name == "webquarry" else LISTS[:1]
    params = {"_meta": ENVELOPE} if revision == MODERN_REVISION else {}
    said = [request(number, method, params) for number, method in enumerate(methods)]
    if revision != MODERN_REVISION:
        said = [*shake_hands(revision), request("ping", "ping"), *said]
    answers, loaded = run_and_list_modules(name, arguments, said, WEBQUARRY_ALLOW_PRIVATE="1")

    assert all("result" in answer for answer in answers)
    assert len(answers) == sum("id" in message for message in said)
    assert loaded == "[]"


def test_a_set_whose_tools_are_others_than_were_listed_has_nothing_prepared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert find_prepared("webquarry", "core") is not None
    assert find_prepared("other", "core") is None
    assert find_prepared("webquarry", "nobody") is None
    monkeypatch.setattr("webquarry.surfaces.mcp.front.prepared._list_modules", lambda _: ["other"])
    assert find_prepared("webquarry", "core") is None


def test_a_warm_server_opens_its_engine_after_the_handshake(tmp_path: Path) -> None:
    said = shake_hands("2025-06-18")
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)}
    _, cold = run_and_list_modules("webquarry", ["mcp"], said, **environ)
    _, warm = run_and_list_modules("webquarry", ["mcp"], said, WEBQUARRY_MCP_WARM="1", **environ)

    assert cold == "[]"
    assert "'pydantic'" in warm
    assert "'mcp'" not in warm


def test_a_call_does_not_load_the_sdk_and_what_is_rare_does(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)}
    said = [*shake_hands("2025-06-18"), request(1, "tools/call", SEARCH)]
    answers, loaded = run_and_list_modules("webquarry", ["mcp"], said, **environ)
    assert answers[-1]["result"]["isError"] is False
    assert "'mcp'" not in loaded
    assert "'mcp_types'" not in loaded

    said.append(request(2, "resources/read", {"uri": "lenses://catalog"}))
    _, loaded = run_and_list_modules("webquarry", ["mcp"], said, **environ)
    assert "'mcp'" in loaded


def test_a_client_may_call_while_what_is_rare_is_answered_elsewhere(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)}
    with lines(environ, ("webquarry", "mcp")) as server:
        assert "isError" in server.ask("tools/call", **SEARCH)
        assert "contents" in server.ask("resources/read", uri="lenses://catalog")
        assert server.ask("tools/call", **SEARCH)["isError"] is False
        assert server.ask("nobody/knows")["code"] == -32601
        assert server.end()[:2] == (0, "")
