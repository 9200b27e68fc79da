"""Clients that are asked by lines, and what is made of their answers."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from scripts.mcp_clients import drivers, packages
from scripts.mcp_clients.calls import CALLS
from scripts.mcp_clients.drivers import ClientFailed, start_line_client
from scripts.mcp_clients.judging import ClientRun, find_faults

from scripts import interop
from webquarry.mcp.listing import load_listing


def program(folder: Path, body: str) -> list[str]:
    path = folder / "client.py"
    path.write_text(body)
    return [sys.executable, "-S", str(path)]


ECHO = """
import json, sys
print(json.dumps({"protocol": "2026-07-28"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    answers = {"raise": {"error": "Error: no"}, "list": {"tools": [json.loads(sys.argv[1])]}}
    if asked.get("name") == "end":
        sys.exit("it ends")
    print(json.dumps(answers.get(asked.get("name", asked["do"]), {"result": asked})), flush=True)
"""


def test_client_gets_its_server_and_answers_each_line(tmp_path: Path) -> None:
    with start_line_client(
        program(tmp_path, ECHO), {"url": "http://a/mcp"}, {}, tmp_path
    ) as client:
        assert client.protocol == "2026-07-28"
        assert client.tools() == [{"url": "http://a/mcp"}]
        assert client.call("look", {"query": "é"})["arguments"] == {"query": "é"}
        with pytest.raises(ClientFailed, match="Error: no"):
            client.call("raise", {})
        assert client.call("look", {})["name"] == "look"


def test_client_that_ends_is_reported_with_its_last_output(tmp_path: Path) -> None:
    with (
        start_line_client(program(tmp_path, ECHO), {}, {}, tmp_path) as client,
        pytest.raises(ClientFailed, match="it ends"),
    ):
        client.call("end", {})


def test_client_that_cannot_connect_is_reported_with_its_last_output(tmp_path: Path) -> None:
    command = program(tmp_path, "raise SystemExit('no such server')")

    with (
        pytest.raises(ClientFailed, match="no such server"),
        start_line_client(command, {}, {}, tmp_path),
    ):
        pass


def test_a_client_that_says_nothing_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drivers, "ANSWER_SECONDS", 0.1)
    command = program(tmp_path, "import time; time.sleep(600)")

    with (
        pytest.raises(ClientFailed, match="said nothing in time"),
        start_line_client(command, {}, {}, tmp_path),
    ):
        pass


class Forgetful:
    """A client whose calls fail, but for the first."""

    protocol: str | None = None

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def tools(self) -> list[dict[str, Any]]:
        raise ClientFailed("no list")

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((name, arguments))
        if len(self.asked) > 1:
            raise ClientFailed("no result")
        return {"content": [], "structuredContent": {"sessionId": "s-7"}}


def test_every_tool_is_asked_even_if_others_failed_and_the_session_is_handed_on() -> None:
    heard, client = ClientRun("one", "stdio", "research"), Forgetful()

    interop.ask_everything(client, heard)

    assert [name for name, _ in client.asked] == [*CALLS["research"], "web_search"]
    sessions = [arguments["sessionId"] for _, arguments in client.asked if "sessionId" in arguments]
    assert sessions == ["s-7"] * 7
    assert len(heard.raised) == len(CALLS["research"]) + 1
    assert heard.raised[0] == "tools/list: no list"


@pytest.mark.parametrize("transport", interop.TRANSPORTS)
@pytest.mark.slow
def test_the_client_of_the_python_sdk_lists_and_calls_every_tool(
    transport: str, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(1) as pool:
        kit = interop.start_installing(tmp_path, ["python-sdk"], pool)

    heard = interop.run_client(kit, "python-sdk", transport, "research")

    assert (
        find_faults(
            heard,
            {
                tool["name"]: tool.get("outputSchema")
                for tool in load_listing("research").lists["tools"]
            },
        )
        == []
    )
    assert heard.protocol
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_failed_is_reported_with_its_reasons() -> None:
    (row,) = interop.build_report(
        [ClientRun("fastmcp", "http", "duckduckgo", raised=["connecting: refused"])],
        {"duckduckgo": {}},
    )

    assert row["failed"] == ["connecting: refused", "wrong arguments: no result came back"]
    assert (row["client"], row["transport"], row["listed"], row["called"]) == (
        "fastmcp",
        "http",
        0,
        0,
    )


def test_missing_npm_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="npm is needed"):
        packages.install_npm(tmp_path / "new", ["some@1"], {"PATH": str(tmp_path)})


def npm_that(folder: Path, does: str) -> dict[str, str]:
    (folder / "npm").write_text(f"#!/bin/sh\n{does}\n")
    (folder / "npm").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_packages_are_installed_once_and_again_for_other_ones(tmp_path: Path) -> None:
    environ = npm_that(tmp_path, f"echo $* >> {tmp_path}/asked")
    for package in ("some@1", "some@1", "some@2"):
        packages.install_npm(tmp_path / "new", [package], environ)

    assert [line.split()[-1] for line in (tmp_path / "asked").read_text().splitlines()] == [
        "some@1",
        "some@2",
    ]
    assert json.loads((tmp_path / "new" / "package.json").read_text())["type"] == "module"


def test_unreachable_registry_is_reported_and_retried(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"some@1 cannot be installed(.|\n)*ENOTFOUND"):
        packages.install_npm(
            tmp_path / "new", ["some@1"], npm_that(tmp_path, "echo ENOTFOUND >&2; exit 1")
        )

    assert packages.install_npm(tmp_path / "new", ["some@1"], npm_that(tmp_path, "exit 0")).is_dir()
