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

from scripts.mcp_clients.calls import CALLS, WRONG, Json, fill_session, find_unmatched  # noqa: E402
from scripts.mcp_clients.drivers import (  # noqa: E402
    ClientFailed,
    Driver,
    Inspector,
    start_line_client,
)
from scripts.mcp_clients.judging import (  # noqa: E402
    ClientRun,
    Schemas,
    find_differences,
    find_faults,
)
from scripts.mcp_clients.packages import install_npm, install_python, node_environment  # noqa: E402
from scripts.mcp_clients.serving import OURS, start_server  # noqa: E402

from webquarry.mcp.listing import load_listing  # noqa: E402

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
class InstalledClient:
    """A client that is installed: how it is started, and where it and its server look for
    programs.
    """

    command: list[str]
    path: str


@dataclass(frozen=True)
class Clients:
    """The folder of everything, and the clients, which are being installed while others already
    run.
    """

    work: Path
    installations: Mapping[str, Future[InstalledClient]]


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def start_installing(work: Path, clients: list[str], pool: ThreadPoolExecutor) -> Clients:
    """Begin to install the clients; some may be used while others are still being installed."""
    node = None
    if NODE_CLIENTS & set(clients):
        node = pool.submit(node_environment, work)  # first, as others wait for it

    def install_client(client: str) -> InstalledClient:
        environ = dict(os.environ)
        if node and client in NODE_CLIENTS:
            environ = node.result()
        command = install(client, work / client, environ)
        say(f"{client} is installed")
        return InstalledClient(command, environ["PATH"])

    installations = {client: pool.submit(install_client, client) for client in clients}
    return Clients(work, installations)


def install(client: str, folder: Path, environ: dict[str, str]) -> list[str]:
    """The command that starts the client; the Inspector's is its program alone."""
    if client == "python-sdk":
        return [sys.executable, str(CLIENTS / "python_sdk.py")]
    if client == "fastmcp":
        return [str(install_python(folder, PINNED[client])), str(CLIENTS / "fastmcp_client.py")]
    install_npm(folder, PINNED[client], environ)
    if client == "inspector":
        return [str(folder / "node_modules" / ".bin" / "mcp-inspector")]
    program = f"{client.replace('-', '_')}.mjs"
    for file in ("lines.mjs", program):  # Node looks for packages beside the file that imports them
        shutil.copy(CLIENTS / file, folder)
    return ["node", str(folder / program)]


def environ_in(folder: Path, path: str) -> dict[str, str]:
    """For a client and its server: no keys, no settings and no home but the folder."""
    return {
        "PATH": path,
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "WEBQUARRY_STATE_FOLDER": str(folder / "state"),
    }


@contextmanager
def server_for(
    transport: str, toolset: str, environ: dict[str, str], folder: Path
) -> Iterator[Json]:
    """What a client is to connect to: an address, or the command that it shall start."""
    command = [OURS, "mcp", "--toolset", toolset]
    if transport == "stdio":
        yield {"command": command, "environ": environ}
        return
    with start_server([*command, "--http", "--port", "0"], environ, folder) as url:
        yield {"url": url}


@contextmanager
def connect(
    client: str, command: list[str], target: Json, environ: dict[str, str], folder: Path
) -> Iterator[Driver]:
    if client == "inspector":
        yield Inspector(Path(command[0]), target, environ, folder)
        return
    with start_line_client(command, target, environ, folder) as driver:
        yield driver


def ask_everything(driver: Driver, run: ClientRun) -> None:
    """List, call every tool, and call one wrongly; what fails is written down and the rest is asked
    all the same.
    """
    run.protocol = driver.protocol
    session = ""
    try:
        run.tools = driver.tools()
    except ClientFailed as error:
        run.raised.append(f"tools/list: {error}")
    for name, arguments in CALLS[run.toolset].items():
        try:
            result = driver.call(name, fill_session(arguments, session))
        except ClientFailed as error:
            run.raised.append(f"{name}: {error}")
            continue
        run.results[name] = result
        structured = result.get("structuredContent") or {}
        session = session or structured.get("sessionId", "")
    try:
        run.refusal = driver.call(*WRONG)
    except ClientFailed as error:
        run.raised.append(f"wrong arguments: {error}")


def run_client(clients: Clients, client: str, transport: str, toolset: str) -> ClientRun:
    """One client against one server, with a folder of their own."""
    run = ClientRun(client, transport, toolset)
    installed = clients.installations[client].result()
    folder = Path(tempfile.mkdtemp(prefix=f"{client}-{transport}-{toolset}-", dir=clients.work))
    environ = environ_in(folder, installed.path)
    started = time.monotonic()
    try:
        with (
            server_for(transport, toolset, environ, folder) as target,
            connect(client, installed.command, target, environ, folder) as driver,
        ):
            ask_everything(driver, run)
    except ClientFailed as error:
        run.raised.append(f"connecting: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    run.seconds = round(time.monotonic() - started, 1)
    say(f"{run.name}: {len(run.tools)} listed, {len(run.results)} called in {run.seconds} s")
    return run


def build_report(runs: list[ClientRun], schemas: Mapping[str, Schemas]) -> list[Json]:
    """One row for each run, with the reasons where it failed."""
    differences = find_differences(runs)
    rows = []
    for run in runs:
        faults = find_faults(run, schemas[run.toolset])
        row = {
            "client": run.client,
            "transport": run.transport,
            "toolset": run.toolset,
            "protocol": run.protocol,
            "package": " ".join(PINNED[run.client]) or None,
            "listed": len(run.tools),
            "called": len(run.results),
            "seconds": run.seconds,
            "failed": [*faults, *differences.get(run.name, [])],
        }
        rows.append(row)
    return rows


def parse_arguments() -> argparse.Namespace:
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
    arguments = parse_arguments()
    clients = arguments.client or list(PINNED)
    transports = arguments.transport or list(TRANSPORTS)
    schemas: dict[str, Schemas] = {}
    for toolset in CALLS:
        tools = load_listing(toolset).lists["tools"]
        schemas[toolset] = {tool["name"]: tool.get("outputSchema") for tool in tools}
        unmatched = find_unmatched(toolset, schemas[toolset])
        if unmatched:
            sys.exit(
                f"No call is written for these tools of the set {toolset}, or they are gone: "
                f"{', '.join(unmatched)}"
            )
    work = (arguments.work or Path(tempfile.mkdtemp(prefix="interop-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        with ThreadPoolExecutor(AT_ONCE) as installing, ThreadPoolExecutor(AT_ONCE) as pool:
            installations = start_installing(work, clients, installing)
            combinations = product(clients, transports, CALLS)
            runs = list(pool.map(lambda one: run_client(installations, *one), combinations))
    finally:
        if arguments.work is None:
            shutil.rmtree(work, ignore_errors=True)
    rows = build_report(runs, schemas)
    failures = []
    for row in rows:
        for fault in row["failed"]:
            failures.append(f"{row['client']} {row['transport']} {row['toolset']}: {fault}")
    print(json.dumps({"ok": not failures, "runs": rows}, indent=1))
    for failure in failures:
        say(f"FAILED {failure}")
    say(f"{len(rows)} runs, {sum(row['called'] for row in rows)} calls, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
