"""The server on stdio as a process: revisions, cancellation, stdout, signals, start-up."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.duckduckgo_site import Asked, DuckDuckGoSite, as_recorded
from tests.mcp.in_process import MODERN
from tests.mcp.stdio_process import PATIENCE, command_of, hanging_site, lines, session
from webquarry.mcp.stdio import parse_arguments

NOISE = """
import logging, os, subprocess, sys
from webquarry._search.router import Router
quiet = Router.route
async def noisy(self, *arguments, **more):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-S", "-c", "print('by a child')"])
    logging.getLogger("webquarry.noise").warning("logged")
    return await quiet(self, *arguments, **more)
Router.route = noisy
"""
SEARCH: dict[str, Any] = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
PREFIX = "io.modelcontextprotocol/"
ENVELOPE = {f"{PREFIX}protocolVersion": MODERN, f"{PREFIX}clientCapabilities": {}}
# Imported neither for the handshake nor for the lists.
HEAVY = ("asyncio", "logging", "pydantic", "httpx2", "cryptography", "mcp", "mcp_types", "anyio")
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


@pytest.fixture
def site() -> Iterator[DuckDuckGoSite]:
    with DuckDuckGoSite(as_recorded) as site:
        yield site


async def text_of(client: ClientSession, name: str, **arguments: object) -> tuple[bool, str]:
    """Whether a call failed, and its text."""
    result = await client.call_tool(name, dict(arguments))
    assert isinstance(result, types.CallToolResult)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert result.structured_content is None
    return bool(result.is_error), content.text


# --- the protocol


@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
def test_every_revision_gets_the_same_tools_answers_and_errors(
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


def test_cancelled_call_stops_its_requests_and_has_no_response() -> None:
    async def run() -> None:
        async with hanging_site() as (origin, asked, left):
            with lines({"WEBQUARRY_DUCKDUCKGO_HTML_URL": origin}) as server:
                number = server.begin(
                    "tools/call", name="web_search", arguments={"query": "otters"}
                )
                await asked.wait()
                server.tell("notifications/cancelled", requestId=number)
                server.tell("notifications/cancelled", requestId=[])  # ignored
                await left.wait()
                assert len((await asyncio.to_thread(server.ask, "tools/list"))["tools"]) == 2

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


# --- stdout, signals and the end


def test_only_the_protocol_is_written_to_stdout(site: DuckDuckGoSite, tmp_path: Path) -> None:
    tmp_path.joinpath("sitecustomize.py").write_text(NOISE)
    key = tmp_path / ".config" / "webquarry" / "brave-api-key"
    key.parent.mkdir(parents=True)
    key.write_text("canary-brave-5f1e")
    key.chmod(0o644)  # causes a warning
    environ = {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path), "WEBQUARRY_LOG_LEVEL": "debug"}
    environ["PYTHONUNBUFFERED"] = ""  # prints are buffered
    with lines(site.environ | environ) as server:
        assert not server.search("seal wear")["isError"]
        code, out, err = server.end()

    assert (code, out) == (0, "")
    assert all(word in err for word in ("printed", "written", "by a child", "logged", "chmod 600"))


@pytest.mark.parametrize("with_call", [False, True])
def test_interrupt_ends_the_process_while_stdin_is_open(
    site: DuckDuckGoSite, with_call: bool
) -> None:
    with lines(site.environ) as server:
        if with_call:
            server.search("seal wear")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == -signal.SIGINT


def test_sigterm_lets_a_call_in_progress_finish() -> None:
    asked: list[Asked] = []

    def answer(request: Asked) -> bytes:
        if not asked:
            server.process.send_signal(signal.SIGTERM)
        asked.append(request)
        return as_recorded(request)

    with DuckDuckGoSite(answer) as site, lines(site.environ) as server:
        assert not server.search("seal wear")["isError"]
        assert server.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("with_call", [False, True])
def test_client_that_closes_stdout_causes_no_error(site: DuckDuckGoSite, with_call: bool) -> None:
    with lines(site.environ) as server:
        if with_call:
            server.search("seal wear")
        assert server.process.stdout
        assert server.process.stdin
        assert server.process.stderr
        server.process.stdout.close()
        server.begin("tools/list")
        server.process.stdin.close()
        assert server.process.wait(PATIENCE) == 0
        assert server.process.stderr.read() == ""


def test_client_that_does_not_read_stops_the_reading_of_requests(site: DuckDuckGoSite) -> None:
    """Unsent responses are bounded, so a client that only writes blocks at last."""
    environ = site.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    code = (
        "import sys, webquarry.mcp.connection as connection, webquarry.mcp.stdio as stdio\n"
        "connection.MAX_UNSENT_BYTES = 100_000\n"
        "sys.exit(stdio.run('duckduckgo'))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ) | environ,
    )
    with process:
        assert process.stdin
        assert process.stdout
        write, read = process.stdin.fileno(), process.stdout
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
        hello["clientInfo"] = {"name": "test", "version": "1"}
        os.write(write, _encode("initialize", hello) + _encode("unknown/method", {}, 2))
        assert [json.loads(read.readline())["id"] for _ in range(2)] == [1, 2]
        request = _encode("tools/list", {}, 3)
        os.set_blocking(write, False)
        accepted = 0
        try:
            while accepted < 20_000_000:
                accepted += os.write(write, request)
        except BlockingIOError:
            os.set_blocking(write, True)
        process.kill()

    # stdin and stdout pipes, 100,000 bytes of responses and one buffer of requests
    assert accepted < 2_000_000


def _encode(method: str, params: dict[str, Any], id: int = 1) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


# --- the start


def run_and_list_modules(
    script: str, arguments: list[str], messages: list[Any], **environ: str
) -> tuple[list[Any], list[str]]:
    """The responses to these messages, and the heavy modules that were imported."""
    module = "webquarry.__main__" if script == "webquarry" else "webquarry.mcp.websearch"
    code = (
        f"import sys\nsys.argv = {[script, *arguments]!r}\n"
        f"from {module} import main\n"
        "code = main()\n"
        f"print([one for one in {HEAVY!r} if one in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    imported: list[str] = json.loads(done.stderr.splitlines()[-1].replace("'", '"'))
    return [json.loads(line) for line in done.stdout.splitlines()], imported


def request(id: Any, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


def handshake(revision: str) -> list[Any]:
    params = {
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return [request("hello", "initialize", params), initialized]


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("script", ["webquarry", "websearch-mcp"])
def test_nothing_heavy_is_imported_for_the_handshake_and_the_lists(
    script: str, revision: str
) -> None:
    arguments = ["mcp"] if script == "webquarry" else []
    methods = LISTS if script == "webquarry" else LISTS[:1]
    params = {"_meta": ENVELOPE} if revision == MODERN else {}
    messages = [request(number, method, params) for number, method in enumerate(methods)]
    if revision == MODERN:
        messages.insert(0, request("discover", "server/discover", params))
    else:
        messages = [*handshake(revision), request("ping", "ping"), *messages]
    answers, imported = run_and_list_modules(
        script, arguments, messages, WEBQUARRY_ALLOW_PRIVATE="1"
    )

    assert all("result" in answer for answer in answers)
    assert len(answers) == sum("id" in message for message in messages)
    assert imported == []


def test_search_imports_neither_the_sdk_nor_what_only_pages_need(tmp_path: Path) -> None:
    code = (
        "import sys, asyncio\n"
        "from webquarry.__main__ import main\n"
        "sys.argv = ['webquarry', 'mcp']\n"
        "code = main()\n"
        "names = ('mcp', 'mcp_types', 'numpy', 'webquarry._search.patents.finder',\n"
        "    'webquarry._search.scholarly.finder', 'webquarry.verify')\n"
        "print([one for one in names if one in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    messages = [*handshake("2025-06-18"), request(1, "tools/call", SEARCH)]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=dict(os.environ) | {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )

    assert json.loads(done.stdout.splitlines()[-1])["result"]["isError"] is False
    assert done.stderr.splitlines()[-1] == "[]"


def test_warm_server_opens_its_engine_after_the_tools_were_listed(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)}
    messages = [*handshake("2025-06-18"), request(1, "tools/list")]
    cold, imported = run_and_list_modules("webquarry", ["mcp"], messages, **environ)
    assert imported == []
    environ["WEBQUARRY_MCP_WARM"] = "1"
    warm, imported = run_and_list_modules("webquarry", ["mcp"], messages, **environ)

    assert "httpx2" in imported
    assert warm == cold


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        (["mcp"], ("research", None)),
        (["mcp", "--toolset", "core"], ("core", None)),
        (["mcp", "--toolset=duckduckgo"], None),
        (["mcp", "--text", "markdown", "--toolset", "core"], ("core", "markdown")),
        (["mcp", "--toolset", "nobody"], None),
        (["mcp", "--toolset", "core", "--toolset", "core"], None),
        (["mcp", "--http"], None),
    ],
)
def test_usual_flags_are_parsed_without_the_command_line(
    arguments: list[str], parsed: tuple[str, str | None] | None
) -> None:
    assert parse_arguments(arguments) == parsed


def start(code: str, messages: list[Any], **environ: str) -> tuple[dict[Any, Any], str]:
    """The responses by their ids of a server started by this code, and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["id"]: answer for answer in answers}, done.stderr


CALLS = [
    *handshake("2025-06-18"),
    request(1, "tools/call", SEARCH),
    request(2, "ping"),
    request(3, "tools/call", SEARCH),
]
FAILS_ONCE = """
import sys
import webquarry.mcp.stdio as stdio
open_engine = stdio.open_engine
times = []
def fail_once(settings):
    from webquarry.errors import BadInput
    times.append(1)
    if len(times) == 1:
        raise BadInput("The engine is away.", suggested_action="Wait for it.")
    return open_engine(settings)
stdio.open_engine = fail_once
sys.exit(stdio.run("research"))
"""


def test_engine_that_cannot_be_opened_is_a_tool_error_and_opened_by_the_next_call(
    tmp_path: Path,
) -> None:
    answers, _ = start(FAILS_ONCE, CALLS, WEBQUARRY_REPLAY="demo", HOME=str(tmp_path))

    assert answers[1]["result"]["isError"] is True
    assert answers[1]["result"]["content"][0]["text"] == "The engine is away. Wait for it."
    assert answers[2]["result"] == {}
    assert answers[3]["result"]["isError"] is False


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"WEBSEARCH_MAX_RESULTS": "31"},
            "websearch-mcp: The setting WEBSEARCH_MAX_RESULTS is not usable: ",
        ),
        (
            {"WEBQUARRY_LENSES": "/nowhere"},
            "websearch-mcp: The folder of lenses /nowhere is not there.",
        ),
    ],
)
def test_unusable_setting_is_reported_on_stderr_at_the_start(
    environ: dict[str, str], message: str
) -> None:
    done = subprocess.run(
        command_of(("websearch-mcp",)),
        env=dict(os.environ) | environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1
