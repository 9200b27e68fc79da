"""Other people's MCP clients list and call every tool of ours on the recorded web: `make interop`.
Needs npm and registries.

    python scripts/interop.py [--work FOLDER] [--client NAME ...] [--transport NAME ...]

Each client talks to a server of its own over stdio, and to another over HTTP, for each tool set;
nothing of this machine's keys, settings or home is seen. A result must be no error, fit the schema
that is declared for it, say the same in its text, and be the same, session ids included, for all
clients: the clock of the recorded web stands still. Progress goes to stderr, one JSON object to
stdout; fails with the reasons when anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from scripts.mcp_clients.calls import CALLS, WRONG, Json, filled, unknown  # noqa: E402
from scripts.mcp_clients.drivers import ClientFailed, Driver, Inspector, spoken  # noqa: E402
from scripts.mcp_clients.judging import Heard, Schemas, differences, faults_of  # noqa: E402
from scripts.mcp_clients.packages import environment, installed, python_with  # noqa: E402
from scripts.mcp_clients.serving import OURS, served  # noqa: E402

from webquarry.surfaces.mcp.listing import ServedTools  # noqa: E402

# The clients and their packages, the slowest last; the Python SDK is the one that we have
# ourselves.
PINNED = {
    "python-sdk": [],
    "fastmcp": ["fastmcp==4.1.2"],
    "ts-v1": ["@modelcontextprotocol/sdk@1.32.2"],
    "ts-v2": ["@modelcontextprotocol/client@2.4.0"],
    "inspector": ["@modelcontextprotocol/inspector@2.12.0"],
}
NODE_CLIENTS = {"ts-v1", "ts-v2", "inspector"}
TRANSPORTS = ("stdio", "http")
CLIENTS = HERE / "mcp_clients"
AT_ONCE = 2


@dataclass(frozen=True)
class Ready:
    """A client that is installed: how it is started, and where it and its server look for programs."""

    command: list[str]
    path: str


@dataclass(frozen=True)
class Kit:
    """The folder of everything, and the clients, which are being installed while others already
    run.
    """

    work: Path
    clients: Mapping[str, Future[Ready]]


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def being_made_ready(work: Path, clients: list[str], pool: ThreadPoolExecutor) -> Kit:
    """The clients, whose installation has begun."""
    node = (
        pool.submit(environment, work) if NODE_CLIENTS & set(clients) else None
    )  # first, as others wait for it

    def ready(client: str) -> Ready:
        environ = node.result() if node and client in NODE_CLIENTS else dict(os.environ)
        command = install(client, work / client, environ)
        say(f"{client} is installed")
        return Ready(command, environ["PATH"])

    return Kit(work, {client: pool.submit(ready, client) for client in clients})


def install(client: str, folder: Path, environ: dict[str, str]) -> list[str]:
    """The command that starts the client; the Inspector's is its program alone."""
    if client == "python-sdk":
        return [sys.executable, str(CLIENTS / "python_sdk.py")]
    if client == "fastmcp":
        return [str(python_with(folder, PINNED[client])), str(CLIENTS / "fastmcp_client.py")]
    installed(folder, PINNED[client], environ)
    if client == "inspector":
        return [str(folder / "node_modules" / ".bin" / "mcp-inspector")]
    program = f"{client.replace('-', '_')}.mjs"
    for file in ("lines.mjs", program):  # Node looks for packages beside the file that imports them
        shutil.copy(CLIENTS / file, folder)
    return ["node", str(folder / program)]


def environ_in(folder: Path, path: str) -> dict[str, str]:
    """For a client and its server: no keys, no settings and no home but the folder."""
    own = {"HOME": str(folder), "WEBQUARRY_REPLAY": "demo"}
    places = {f"WEBQUARRY_{kind}_FOLDER": str(folder / kind.lower()) for kind in ("CACHE", "STATE")}
    return {"PATH": path, "LANG": "C.UTF-8", **own, **places}


@contextmanager
def server_for(
    transport: str, toolset: str, environ: dict[str, str], folder: Path
) -> Iterator[Json]:
    """What a client is told to connect to: an address, or the command that it shall start."""
    command = [OURS, "mcp", "--toolset", toolset]
    if transport == "stdio":
        yield {"command": command, "environ": environ}
        return
    with served([*command, "--http", "--port", "0"], environ, folder) as url:
        yield {"url": url}


@contextmanager
def connected(
    client: str, command: list[str], target: Json, environ: dict[str, str], folder: Path
) -> Iterator[Driver]:
    if client == "inspector":
        yield Inspector(Path(command[0]), target, environ, folder)
        return
    with spoken(command, target, environ, folder) as driver:
        yield driver


def ask_everything(driver: Driver, heard: Heard) -> None:
    """List, call every tool, and call one wrongly; what fails is written down and the rest is asked
    all the same.
    """
    heard.protocol = driver.protocol
    session = ""
    try:
        heard.tools = driver.tools()
    except ClientFailed as error:
        heard.raised.append(f"tools/list: {error}")
    for name, arguments in CALLS[heard.toolset].items():
        try:
            result = heard.results[name] = driver.call(name, filled(arguments, session))
        except ClientFailed as error:
            heard.raised.append(f"{name}: {error}")
            continue
        session = session or (result.get("structuredContent") or {}).get("sessionId", "")
    try:
        heard.refusal = driver.call(*WRONG)
    except ClientFailed as error:
        heard.raised.append(f"wrong arguments: {error}")


def run(kit: Kit, client: str, transport: str, toolset: str) -> Heard:
    """One client against one server, with a folder of their own."""
    heard = Heard(client, transport, toolset)
    ready = kit.clients[client].result()
    folder = Path(tempfile.mkdtemp(prefix=f"{client}-{transport}-{toolset}-", dir=kit.work))
    environ = environ_in(folder, ready.path)
    started = time.monotonic()
    try:
        with (
            server_for(transport, toolset, environ, folder) as target,
            connected(client, ready.command, target, environ, folder) as driver,
        ):
            ask_everything(driver, heard)
    except ClientFailed as error:
        heard.raised.append(f"connecting: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    heard.seconds = round(time.monotonic() - started, 1)
    say(
        f"{heard.name}: {len(heard.tools)} listed, {len(heard.results)} called in {heard.seconds} s"
    )
    return heard


def reported(all_heard: list[Heard], schemas: Mapping[str, Schemas]) -> list[Json]:
    """One row for each run, with the reasons where it failed."""
    differing = differences(all_heard)
    return [
        {
            "client": heard.client, "transport": heard.transport, "toolset": heard.toolset, "protocol": heard.protocol,
            "package": " ".join(PINNED[heard.client]) or None,
            "listed": len(heard.tools), "called": len(heard.results), "seconds": heard.seconds,
            "failed": [*faults_of(heard, schemas[heard.toolset]), *differing.get(heard.name, [])],
        }
        for heard in all_heard
    ]  # fmt: skip


def chosen() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, help="where the packages are installed; a temporary folder otherwise"
    )
    parser.add_argument(
        "--client", action="append", choices=PINNED, help="only this client; may be given again"
    )
    parser.add_argument(
        "--transport", action="append", choices=TRANSPORTS, help="only this transport"
    )
    return parser.parse_args()


def main() -> int:
    arguments = chosen()
    clients, transports = arguments.client or list(PINNED), arguments.transport or list(TRANSPORTS)
    schemas = {
        name: {tool.name: tool.output_schema for tool in ServedTools(name).describe_all()}
        for name in CALLS
    }
    for name, tools in schemas.items():
        if without := unknown(name, tools):
            sys.exit(
                f"No call is written for these tools of the set {name}, or they are gone: "
                f"{', '.join(without)}"
            )
    work = (arguments.work or Path(tempfile.mkdtemp(prefix="interop-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        with ThreadPoolExecutor(AT_ONCE) as installing, ThreadPoolExecutor(AT_ONCE) as pool:
            kit = being_made_ready(work, clients, installing)
            all_heard = list(
                pool.map(lambda one: run(kit, *one), product(clients, transports, CALLS))
            )
    finally:
        if arguments.work is None:
            shutil.rmtree(work, ignore_errors=True)
    rows = reported(all_heard, schemas)
    failed = [
        f"{row['client']} {row['transport']} {row['toolset']}: {fault}"
        for row in rows
        for fault in row["failed"]
    ]
    print(json.dumps({"ok": not failed, "runs": rows}, indent=1))
    for fault in failed:
        say(f"FAILED {fault}")
    say(f"{len(rows)} runs, {sum(row['called'] for row in rows)} calls, {len(failed)} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
