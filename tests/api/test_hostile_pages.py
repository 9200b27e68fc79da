"""A page that takes its reader's time: the door it came through answers, hears its signals, and
serves others meanwhile.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.executables import FETCH, LOCAL, Answer, Asked, InProcess, Site, script_path
from tests.mcp.http_process import Served, http_server, message_in
from tests.read.workers.sync_pool import is_alive

# Sound markup, and so much of it that no reader is done with it in a second.
LONG = Answer(
    b"<title>Long</title>" + b"<div><p>A <b>bold</b> word.</p><ul><li>one</ul></div>" * 100_000
)
SHORT = Answer(b"<title>Short</title><main><p>" + b"The tide turns twice a day. " * 30)
LINUX = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="the system does not show its processes as files"
)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    def answer(asked: Asked) -> Answer:
        return LONG if asked.target.startswith("/long") else SHORT

    with Site(answer) as found:
        yield found


def test_an_executable_answers_that_a_page_is_too_complex(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = InProcess(monkeypatch)
    done = run(FETCH, {"url": f"{site.origin}/long"}, LOCAL | {"read_cpu_seconds": "0.5"})

    assert done.error == (
        f"Failed to parse HTML: {site.origin}/long could not be read safely: it takes too long."
    )
    assert done.stderr.startswith("webquarry: ERROR: too_complex (not worth trying again as it is)")


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def seconds_of(pid: int) -> float:
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def scrape(served: Served, url: str) -> httpx2.Response:
    return served.post("tools/call", {"name": "scrape_page", "arguments": {"url": url}})


@LINUX
@pytest.mark.slow
def test_a_server_serves_others_and_hears_its_signals_while_hostile_pages_are_read(
    site: Site,
) -> None:
    def attack(number: int) -> None:
        try:
            scrape(served, f"{site.origin}/long/{number}")
        except httpx2.HTTPError:
            return  # the server has ended

    environ = LOCAL | {"WEBQUARRY_HTTP_GRACE_SECONDS": "1", "PYTHON_CPU_COUNT": "2"}
    with http_server(environ) as served:
        assert "Short" in scrape(served, f"{site.origin}/short/1").text
        attacks = [threading.Thread(target=attack, args=(number,)) for number in range(3)]
        for thread in attacks:
            thread.start()
        (template,) = children_of(served.process.pid)
        while max(map(seconds_of, children_of(template))) < 1.2:  # one has begun one of them
            time.sleep(0.01)

        assert served.ask("tools/list")["tools"]
        answer = message_in(scrape(served, f"{site.origin}/short/2").text)["result"]
        assert answer["structuredContent"]["content"].startswith("The tide turns")

        workers = children_of(template)
        assert workers
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(20) == 0
        assert not any(map(is_alive, [template, *workers]))
        for thread in attacks:
            thread.join()


def test_a_worker_is_killed_when_an_executable_is_interrupted(site: Site) -> None:
    command = [script_path(FETCH)]
    environ = dict(os.environ) | LOCAL
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"url": f"{site.origin}/long"}).encode())
        process.stdin.close()
        copies: list[int] = []
        while not copies:
            copies = children_of(process.pid)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert not any(map(is_alive, copies))
