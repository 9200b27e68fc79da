"""The official MCP conformance suite against our server: `make conformance`. Needs npm and the
package registry.

    python scripts/conformance.py [--work FOLDER]

Three servers are judged, each by both releases of the suite and all requirement sets: ours as it is
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

from scripts.mcp_clients.packages import environment, installed  # noqa: E402
from scripts.mcp_clients.serving import OURS, served  # noqa: E402

from webquarry.surfaces.server.tokens import TokenFile  # noqa: E402

PACKAGE = "@modelcontextprotocol/conformance"
RUNS = (
    ("0.1.16 active", "0.1.16", ()),
    (
        "0.2.0-alpha.12 2025-11-25",
        "0.2.0-alpha.12",
        ("--requirements", "2025-11-25", "--timeout", "8000"),
    ),
    (
        "0.2.0-alpha.12 2026-07-28",
        "0.2.0-alpha.12",
        ("--requirements", "2026-07-28", "--timeout", "8000"),
    ),
)
OPTIONAL = ("tasks-", "sep-2640-")  # extensions
# What any server must pass with its own tools; the others look for fixtures.
PLAIN = {
    "server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "completion-complete",
    "dns-rebinding-protection", "server-sse-multiple-streams", "server-session-lifecycle", "server-stateless",
    "caching", "sep-2164-resource-not-found", "http-header-validation",
}  # fmt: skip
# Single checks of those that look for fixtures all the same.
NOT_PLAIN = {
    "sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel",
}  # fmt: skip


def tokens_on(work: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What a server needs to ask for tokens, and what the suite, which knows none, needs to have
    one.
    """
    place = work / "tokens.json"
    place.unlink(missing_ok=True)
    token = TokenFile(place).add("the suite")
    loaded = (ROOT / "scripts" / "conformance_token.mjs").as_uri()
    gate = {"WEBQUARRY_HTTP_AUTH": "token", "WEBQUARRY_TOKENS_FILE": str(place)}
    return gate, {"NODE_OPTIONS": f"--import {loaded}", "CONFORMANCE_TOKEN": token}


def checks(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What the suite has written down, by scenario."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(folder.glob("*/checks.json")):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        found.setdefault(scenario, []).extend(json.loads(file.read_text("utf-8")))
    return found


def judged(found: dict[str, list[dict[str, Any]]], plain: bool) -> dict[str, Any]:
    """Numbers, and the failures in words."""
    failed: dict[str, list[str]] = {}
    passed = 0
    for scenario, rows in found.items():
        for row in rows:
            passed += row["status"] == "SUCCESS"
            if row["status"] == "FAILURE" and not (plain and row["id"] in NOT_PLAIN):
                failed.setdefault(scenario, []).append(
                    f"{row['id']}: {(row.get('errorMessage') or '')[:300]}"
                )
    counted = {name for name in found if not plain or name in PLAIN}
    return {
        "scenarios": len(counted),
        "clean": len([name for name in counted if name not in failed]),
        "checksPassed": passed,
        "failures": {
            name: words
            for name, words in failed.items()
            if name in counted and not name.startswith(OPTIONAL)
        },
        "optionalFailed": sorted(name for name in failed if name.startswith(OPTIONAL)),
    }


def run_suite(
    url: str, work: Path, label: str, plain: bool, environ: dict[str, str]
) -> dict[str, Any]:
    version, flags = next((version, flags) for name, version, flags in RUNS if name == label)
    folder = installed(work / f"suite-{version}", [f"{PACKAGE}@{version}"], environ)
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    program = folder / "node_modules" / PACKAGE / "dist" / "index.js"
    started = time.monotonic()
    command = ["node", str(program), "server", "--url", url, "-o", str(out), *flags]
    subprocess.run(command, cwd=folder, env=environ, capture_output=True, timeout=300)
    return judged(checks(out), plain) | {"seconds": round(time.monotonic() - started, 1)}


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
    environ = environment(work)
    ours = [OURS, "mcp", "--http", "--port", "0"]
    gate, bearing = tokens_on(work)
    servers = {
        "as it is": (ours, {}, environ),
        "with tokens": (ours, gate, environ | bearing),
        "with fixtures": ([sys.executable, "-m", "tests.conformance.server"], {}, environ),
    }
    report: dict[str, Any] = {}
    for name, (command, more, suite) in servers.items():
        with served(command, dict(os.environ) | {"WEBQUARRY_REPLAY": "demo"} | more, ROOT) as url:
            for label, _, _ in RUNS:
                report[f"{name}, {label}"] = run_suite(
                    url, work, label, name != "with fixtures", suite
                )
    print(json.dumps(report, indent=1))
    if arguments.work is None:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if any(one["failures"] or not one["scenarios"] for one in report.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
