"""The MCP server on stdio, as a process of its own with the SDK's client at the other end."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, LATEST_PROTOCOL_VERSION

from tests.duckduckgo_site import Asked, DuckDuckGoSite, as_recorded, page
from tests.surfaces.mcp.stdio_process import command_of, hanging_site, lines, session
from webquarry.surfaces.mcp.stdio import run

NOISE = """
import logging, os, subprocess, sys
from webquarry.search.router import Router
quiet = Router.route
async def noisy(self, *arguments, **more):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-S", "-c", "print('by a child')"])
    logging.getLogger("webquarry.noise").warning("logged")
    return await quiet(self, *arguments, **more)
Router.route = noisy
"""


@pytest.fixture
def site() -> Iterator[DuckDuckGoSite]:
    with DuckDuckGoSite(as_recorded) as site:
        yield site


def echo(asked: Asked) -> bytes:
    """A site whose only result repeats the query."""
    return page([(f"About {asked.fields['q']}", "https://site.example/", "Text.")])


async def text_of(client: ClientSession, name: str, **arguments: object) -> tuple[bool, str]:
    """Whether a call failed, and the one text that came back."""
    result = await client.call_tool(name, dict(arguments))
    assert isinstance(result, types.CallToolResult)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert result.structured_content is None
    return bool(result.is_error), content.text


# --- the protocol


@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
def test_every_revision_of_the_protocol_gets_the_same_tools_answers_and_errors(
    site: DuckDuckGoSite, version: str
) -> None:
    async def run() -> None:
        async with session(site.environ, version) as client:
            assert client.protocol_version == version
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "web_search",
                "instant_answer",
            ]
            failed, text = await text_of(client, "web_search", query="seal wear", max_results=2)
            assert (failed, text[-32:]) == (False, "_Source: DuckDuckGo (2 results)_")
            failed, text = await text_of(client, "instant_answer", query="sample")
            assert (failed, text[:24]) == (False, '## Instant Answer for "s')
            assert await text_of(client, "web_search", query=" ") == (
                True,
                "The query is blank. Say what to search for.",
            )
            with pytest.raises(MCPError) as caught:
                await client.call_tool("web_fetch", {})
            assert caught.value.error.code == -32602

    asyncio.run(run())


def test_a_client_that_chooses_the_revision_by_itself_can_make_twenty_calls_at_once() -> None:
    async def run(site: DuckDuckGoSite) -> list[types.CallToolResult]:
        (program,) = command_of(("websearch-mcp",))
        async with Client(StdioServerParameters(command=program, env=site.environ)) as client:
            assert client.protocol_version == LATEST_PROTOCOL_VERSION
            return await asyncio.gather(
                *(client.call_tool("web_search", {"query": f"number {n}"}) for n in range(20))
            )

    with DuckDuckGoSite(echo) as site:
        results = asyncio.run(run(site))

    assert [
        f"### 1. About number {n}\\n" in str(result.content) for n, result in enumerate(results)
    ] == [True] * 20
    assert not any(result.is_error for result in results)


def test_a_call_that_is_cancelled_stops_the_work() -> None:
    async def run() -> None:
        async with hanging_site() as (origin, asked, left):
            environ = {"WEBQUARRY_DUCKDUCKGO_HTML_URL": origin}
            async with session(environ, "2025-11-25") as client:
                call = asyncio.create_task(client.call_tool("web_search", {"query": "x"}))
                await asked.wait()
                call.cancel()
                await left.wait()  # the server hung up on the site
                assert (await client.list_tools()).tools

    asyncio.run(asyncio.wait_for(run(), 30))


# --- stdout, and the end


def test_nothing_but_the_protocol_is_on_stdout_whatever_the_engine_says(
    site: DuckDuckGoSite, tmp_path: Path
) -> None:
    tmp_path.joinpath("sitecustomize.py").write_text(NOISE)
    key = tmp_path / ".config" / "webquarry" / "brave-api-key"
    key.parent.mkdir(parents=True)
    key.write_text("canary-brave-5f1e")
    key.chmod(0o644)  # earns a warning
    environ = {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path), "WEBQUARRY_LOG_LEVEL": "debug"}
    environ["PYTHONUNBUFFERED"] = ""  # what is printed waits in a buffer
    with lines(site.environ | environ) as server:
        assert not server.search("seal wear")["isError"]
        code, out, err = server.end()

    assert (code, out) == (0, "")
    assert all(word in err for word in ("printed", "written", "by a child", "logged", "chmod 600"))


def test_an_interrupt_ends_the_process_though_stdin_is_open(site: DuckDuckGoSite) -> None:
    with lines(site.environ) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == -signal.SIGINT


def test_a_client_that_has_gone_leaves_no_complaint(site: DuckDuckGoSite) -> None:
    with lines(site.environ) as server:
        assert server.process.stdout
        assert server.process.stdin
        assert server.process.stderr
        server.process.stdout.close()
        server.begin("tools/list")
        server.process.stdin.close()
        assert server.process.wait(30) == 0
        assert server.process.stderr.read() == ""


def test_a_setting_that_cannot_be_used_is_told_on_stderr_and_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # ours stay as they are
    monkeypatch.setenv("WEBSEARCH_MAX_RESULTS", "31")

    assert run("websearch-mcp", "duckduckgo") == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(
        "websearch-mcp: The setting WEBSEARCH_MAX_RESULTS is not usable: "
    )


def test_what_cannot_be_opened_at_the_start_is_told_on_stderr_in_one_line() -> None:
    done = subprocess.run(
        command_of(("websearch-mcp",)),
        env={"WEBQUARRY_LENSES": "/nowhere"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("websearch-mcp: The folder of lenses /nowhere is not there.")
    assert len(done.stderr.splitlines()) == 1
