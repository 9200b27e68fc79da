"""The official MCP conformance suite against our server: `make conformance`. Needs npm and the
package registry.

    python scripts/conformance.py [--work FOLDER]

Three servers are judge, each by both releases of the suite and all requirement sets: ours as it is
and ours with tokens on, by the scenarios that need nothing but a server, and ours with the suite's
fixtures mounted (tests/conformance), by all of them. The packages are installed by name into a
folder of their own, a newer Node included where the system's is too old. Prints one JSON object;
fails when a scenario failed, other than those of optional extensions that we do not offer.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.mcp_clients.packages import install_npm, node_environment  # noqa: E402
from scripts.mcp_clients.serving import OURS, start_server  # noqa: E402

from webquarry.mcp.auth import TokenFile  # noqa: E402

PACKAGE = "@modelcontextprotocol/conformance"
_NEWEST = "0.2.0-alpha.12"
_TIMEOUT = ("--timeout", "8000")
# By its name in the report: the release of the suite, and its flags.
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "0.1.16 active": ("0.1.16", ()),
    f"{_NEWEST} 2025-11-25": (_NEWEST, ("--requirements", "2025-11-25", *_TIMEOUT)),
    f"{_NEWEST} 2026-07-28": (_NEWEST, ("--requirements", "2026-07-28", *_TIMEOUT)),
}
OPTIONAL = ("tasks-", "sep-2640-")  # extensions
# What any server must pass with its own tools; the others look for fixtures.
PLAIN = {
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "completion-complete",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
    "server-session-lifecycle",
    "server-stateless",
    "caching",
    "sep-2164-resource-not-found",
    "http-header-validation",
}
# Single checks of those that look for fixtures all the same.
NOT_PLAIN = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}


def require_tokens(work: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What a server needs to ask for tokens, and what the suite, which knows none, needs to have
    one.
    """
    path = work / "tokens.json"
    path.unlink(missing_ok=True)
    token = TokenFile(path).add("the suite")
    sender = (ROOT / "scripts" / "conformance_token.mjs").as_uri()
    server = {"WEBQUARRY_HTTP_AUTH": "token", "WEBQUARRY_TOKENS_FILE": str(path)}
    suite = {"NODE_OPTIONS": f"--import {sender}", "CONFORMANCE_TOKEN": token}
    return server, suite


def read_checks(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What the suite has written down, by scenario."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(folder.glob("*/checks.json")):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        found.setdefault(scenario, []).extend(json.loads(file.read_text("utf-8")))
    return found


def judge(scenarios: dict[str, list[dict[str, Any]]], plain: bool) -> dict[str, Any]:
    """Numbers, and the failures in words."""
    failed: dict[str, list[str]] = {}
    passed = 0
    for scenario, rows in scenarios.items():
        for row in rows:
            if row["status"] == "SUCCESS":
                passed += 1
            if row["status"] == "FAILURE" and not (plain and row["id"] in NOT_PLAIN):
                message = (row.get("errorMessage") or "")[:300]
                failed.setdefault(scenario, []).append(f"{row['id']}: {message}")
    counted = {name for name in scenarios if not plain or name in PLAIN}
    failures = {}
    for name, messages in failed.items():
        if name in counted and not name.startswith(OPTIONAL):
            failures[name] = messages
    return {
        "scenarios": len(counted),
        "clean": len(counted - set(failed)),
        "checksPassed": passed,
        "failures": failures,
        "optionalFailed": sorted(name for name in failed if name.startswith(OPTIONAL)),
    }


def run_suite(
    url: str, work: Path, label: str, plain: bool, environ: dict[str, str]
) -> dict[str, Any]:
    """One release of the suite with one set of requirements, against the server at this address."""
    version, flags = RUNS[label]
    folder = install_npm(work / f"suite-{version}", [f"{PACKAGE}@{version}"], environ)
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    program = folder / "node_modules" / PACKAGE / "dist" / "index.js"
    started = time.monotonic()
    command = ["node", str(program), "server", "--url", url, "-o", str(out), *flags]
    subprocess.run(command, cwd=folder, env=environ, capture_output=True, timeout=300)
    seconds = round(time.monotonic() - started, 1)
    return judge(read_checks(out), plain) | {"seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, help="where the packages are installed; a temporary folder otherwise"
    )
    arguments = parser.parse_args()
    work = (arguments.work or Path(tempfile.mkdtemp(prefix="conformance-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    environ = node_environment(work)
    ours = [OURS, "mcp", "--http", "--port", "0"]
    server_tokens, suite_token = require_tokens(work)
    servers = {
        "as it is": (ours, {}, environ),
        "with tokens": (ours, server_tokens, environ | suite_token),
        "with fixtures": ([sys.executable, "-m", "tests.conformance.server"], {}, environ),
    }
    report: dict[str, Any] = {}
    for name, (command, more, suite) in servers.items():
        server_environ = dict(os.environ) | {"WEBQUARRY_REPLAY": "demo"} | more
        plain = name != "with fixtures"
        with start_server(command, server_environ, ROOT) as url:
            for label in RUNS:
                report[f"{name}, {label}"] = run_suite(url, work, label, plain, suite)
    print(json.dumps(report, indent=1))
    if arguments.work is None:
        shutil.rmtree(work, ignore_errors=True)
    for result in report.values():
        if result["failures"] or not result["scenarios"]:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
