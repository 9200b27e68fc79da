"""Every block of README and docs does what it says, on the recorded web: no keys, no internet.

A page is read from top to bottom by somebody with an empty home folder and our commands on the
path. Where a model is asked, a stand-in answers; servers are started, asked once and stopped.
`NOT_RUN` in documents/blocks.py lists what is left out, and why.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.blocks import build_script, find_blocks
from tests.model_servers import FakeServers

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "documents"
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if find_blocks(page.read_text("utf-8"))
]

# What a reader's shell has: our commands, the stand-ins, and a place for what fails. `make` takes
# the project as it is set up, and `claude` starts what Claude Code would.
READER = r"""
set -eo pipefail
trap 'echo "$PAGE:$LINENO: $BASH_COMMAND" >&2' ERR
PAGE=$1
serve() { PYTHONPATH="$ROOT" "$BIN/python" -m tests.documents.servers "$@"; }
run_webquarry() { "$BIN/python" -I -S "$TESTS/run_forked.py" "$SOCKET" "$BIN/webquarry" "$@"; }
with_model() (unset WEBQUARRY_REPLAY; export $MODEL; "$@")
make() { command make -s -C "$ROOT" -o .venv/.installed -o .venv/.ready "$@"; }
claude() { serve claude "$@"; }
ask_servers() { serve clients "$@"; }
run_python() {
  if grep -q 'webquarry\.sql' "$1"; then with_model "$BIN/python" "$TESTS/run_python.py" "$1"
  else "$BIN/python" "$TESTS/run_python.py" "$1"; fi
}
webquarry() {
  case " $* " in
    " ask "* | " sql "*) with_model run_webquarry "$@" ;;
    " mcp --http "*) serve http "$BIN/webquarry" "$@" ;;
    *) run_webquarry "$@" ;;
  esac
}
"""


def answer_question(question: str, model: str) -> str:
    """What the stand-in for the model says, in the form that was asked for."""
    if "postal address" in question:
        address = {"city": "Harwick", "postal_code": "10115", "street_name": "Mill Lane"}
        return json.dumps(address | {"street_nr": "7"})
    if "founded" in question:
        return json.dumps({"founded": 1987})
    return "Shipping."


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of who runs `webquarry` for the shells of the pages."""
    path = tmp_path_factory.mktemp("s") / "s"
    with subprocess.Popen(
        [sys.executable, str(TESTS / "fork_server.py"), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield path


def run_script(
    script: str, folder: Path, environ: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run it in the folder by a shell that nobody types into."""
    (folder / "page.sh").write_text(script, "utf-8")
    return subprocess.run(
        ["bash", "page.sh"],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_runs_on_the_recorded_web(
    page: Path, tmp_path: Path, commands: Path
) -> None:
    for command in ("bash", "make", "jq", "openssl"):
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not here")
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    (scratch / ".venv").symlink_to(sys.prefix)  # as in a clone after `make demo`
    (scratch / "reader.sh").write_text(READER, "utf-8")
    script = build_script(page.name, page.read_text("utf-8"), scratch)
    with FakeServers() as servers:
        servers.answer = answer_question
        models = servers.environ | servers.environ_of_vendors
        environ = os.environ | {
            "HOME": str(home),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "WEBQUARRY_REPLAY": "demo",
            "ROOT": str(ROOT),
            "BIN": str(Path(sys.executable).parent),
            "TESTS": str(TESTS),
            "SOCKET": str(commands),
            "MODEL": " ".join(f"{name}={value}" for name, value in models.items()),
        }
        ended = run_script(script, scratch, environ)

    assert ended.returncode == 0, f"{ended.stderr}\n{ended.stdout[-4000:]}"
