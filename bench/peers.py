"""Our MCP server on stdio beside another one, written in Go, in one run: what README says of it.

    python bench/peers.py [--rounds 3] [--peer FOLDER] [--only PATTERN]

The other one is web-researcher-mcp, from its wheel: it is installed into a folder for the time of
the run, or found in the virtual environment that --peer names. Where it cannot be had, nothing is
measured. Both search and read one small web on loopback; they take turns, so that the noise of a
machine falls on both. Printed are medians and our ratio to the other; single times depend on the
machine and do not count. Linux only, since processor time and memory are read from /proc.

search_and_scrape is held against its limit: 100 ms for the search and 100 ms for the pages, which
can all be fetched at once. All of its pages are on one host, which we ask no more than twenty times
a second, so there is a pause between two calls. Memory is what the processes of a server hold while two large pages are
being read, what they share counted once (PSS).
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from peer_lab.servers import Connection, Contestant, connect

PEER = "web-researcher-mcp==1.50.4"
LATENCY = 0.1
_BINARY = "lib/python*/site-packages/web_researcher_mcp/bin/web-researcher-mcp"
_CACHED_CALLS = 100
_SEARCHES = 20
_PAGES = 5
_PACE = 1.5  # seconds between two calls that read many pages of one host

Numbers = dict[str, list[float]]  # by the name of a server
numbering = itertools.count()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="a virtual environment with the other server")
    parser.add_argument("--only", default="", help="only measures whose names fit this pattern")
    options = parser.parse_args()
    if sys.platform != "linux":
        print("Not measured: processor time and memory are read from /proc, which Linux has.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        binary = find_peer(options.peer or install_peer(Path(folder)))
        if binary is None:
            print(f"Not measured: {PEER} cannot be had here (pip install {PEER}).")
            return 0
        with run_web() as port:
            lab = Lab(port, build_contestants(binary), options.rounds)
            print_table(lab, re.compile(options.only))
    return 0


# Those who take part


def install_peer(folder: Path) -> Path:
    """A virtual environment with the other server, if it could be installed."""
    venv.create(folder, with_pip=True)
    command = [str(folder / "bin" / "pip"), "install", "--quiet", "--no-input", PEER]
    subprocess.run(command, check=False, capture_output=True)
    return folder


def find_peer(environment: Path) -> Path | None:
    """The binary that the wheel brought, made executable."""
    for binary in environment.glob(_BINARY):
        binary.chmod(0o755)
        return binary
    return None


def build_contestants(binary: Path) -> list[Contestant]:
    ours = {
        "SEARXNG_URL": "http://127.0.0.1:{port}",
        "WEBQUARRY_ALLOW_PRIVATE": "1",
        "XDG_CACHE_HOME": "{folder}/cache",
    }
    script = str(Path(sysconfig.get_path("scripts")) / "webquarry")
    search, page = {"provider": "searxng"}, {"max_length": 1_000_000}
    peer = Contestant(
        "peer",
        [str(binary)],
        {
            "SEARCH_PROVIDER": "searxng",
            "SEARXNG_URL": "http://127.0.0.1:{port}",
            "ALLOW_PRIVATE_IPS": "true",
            "JINA_READER_DISABLED": "true",
            "CHROME_PATH": "disabled",
            "CACHE_DIR": "{folder}/cache",
        },
        page={"max_length": 2_000_000},
    )
    warm = {**ours, "WEBQUARRY_MCP_WARM": "1"}
    return [
        peer,
        Contestant("webquarry", [script, "mcp"], ours, search, page),
        Contestant("webquarry, warm", [script, "mcp"], warm, search, page),
    ]


@contextmanager
def run_web() -> Iterator[int]:
    """The port of a small web in a process of its own."""
    script = Path(__file__).parent / "peer_lab" / "web.py"
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)
    try:
        assert process.stdout
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


# What is measured


class Lab:
    """The web, and the servers in turns."""

    def __init__(self, port: int, contestants: list[Contestant], rounds: int) -> None:
        self.port = port
        self._contestants = contestants
        self._rounds = rounds

    def take_turns(self) -> Iterator[Contestant]:
        """Each once in a round, each round beginning with another."""
        for turn in range(self._rounds):
            first = turn % len(self._contestants)
            yield from self._contestants[first:] + self._contestants[:first]

    def measure(self, one: Callable[[Connection], list[float]], pause: float = 0.0) -> Numbers:
        """What `one` finds out about a fresh server, by its name."""
        numbers: Numbers = {}
        for contestant in self.take_turns():
            with connect(contestant, self.port) as connection:
                time.sleep(pause)
                numbers.setdefault(contestant.name, []).extend(one(connection))
        return numbers

    def answer_after(self, seconds: float) -> None:
        """Let the web answer that late from now on."""
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/set?seconds={seconds}").close()

    def page(self, kilobytes: int) -> tuple[str, str]:
        """The address of a page that nobody has asked for yet, and a text in it."""
        seed = f"s{next(numbering)}"
        return f"http://127.0.0.1:{self.port}/page/{kilobytes}/{seed}", f"{seed}begin"


def measure_start(lab: Lab) -> Numbers:
    return lab.measure(lambda server: [server.tree.measure_cpu() * 1000])


def measure_idle_memory(lab: Lab) -> Numbers:
    return lab.measure(lambda server: [server.tree.measure_memory()], pause=0.5)


def measure_first_search(lab: Lab, pause: float) -> Numbers:
    def search(server: Connection) -> list[float]:
        return [time_call(lambda: server.search(f"first topic{next(numbering)}"))]

    return lab.measure(search, pause)


def measure_cached_cpu(lab: Lab) -> Numbers:
    def repeat(server: Connection) -> list[float]:
        repeat_search(server)
        before = server.tree.measure_cpu()
        repeat_search(server)
        return [(server.tree.measure_cpu() - before) / _CACHED_CALLS * 1e6]

    return lab.measure(repeat, pause=2)


def measure_cached_time(lab: Lab) -> Numbers:
    def repeat(server: Connection) -> list[float]:
        repeat_search(server)
        return [statistics.median(repeat_search(server))]

    return lab.measure(repeat, pause=2)


def repeat_search(server: Connection) -> list[float]:
    return [time_call(lambda: server.search("cached topic")) for _ in range(_CACHED_CALLS)]


def measure_searches(lab: Lab, choose: Callable[[list[float]], float]) -> Numbers:
    """One number for many different searches, after a first one that loads what they need."""

    def search(server: Connection) -> list[float]:
        server.search(f"topic{next(numbering)}")
        times = []
        for _ in range(_SEARCHES):
            query = f"steady topic{next(numbering)}"
            times.append(time_call(lambda query=query: server.search(query)))  # type: ignore[misc]
        return [choose(times)]

    return lab.measure(search, pause=1)


def measure_page(lab: Lab, kilobytes: int) -> Numbers:
    def read(server: Connection) -> list[float]:
        read_page(server, lab, kilobytes)
        read_page(server, lab, kilobytes)
        costs = []
        for _ in range(_PAGES):
            before = server.tree.measure_cpu()
            read_page(server, lab, kilobytes)
            costs.append((server.tree.measure_cpu() - before) * 1000)
        return [statistics.median(costs)]

    return lab.measure(read)


def read_page(server: Connection, lab: Lab, kilobytes: int) -> None:
    url, text = lab.page(kilobytes)
    server.call("scrape_page", {"url": url, **server.contestant.page}, text)


def measure_search_and_scrape(lab: Lab, count: int) -> Numbers:
    def read(server: Connection) -> list[float]:
        times = []
        for number in range(4):
            query = {"query": f"survey topic{next(numbering)}", "num_results": count}
            lab.answer_after(LATENCY)
            spent = time_call(lambda query=query: read_results(server, query))  # type: ignore[misc]
            lab.answer_after(0)
            time.sleep(_PACE)
            if number:  # the first one loads what is needed
                times.append(spent / 1000 / (2 * LATENCY))
        return [statistics.median(times)]

    return lab.measure(read)


def read_results(server: Connection, query: dict[str, object]) -> None:
    """Search and read. An answer that only links to the texts is followed to them."""
    answer = server.call("search_and_scrape", query, "content")
    links = re.findall(rb'"resource_link"[^{}]*"uri":"([^"]+)"|"uri":"([^"]+)"', answer)
    for link in {one or other for one, other in links}:
        answer += server.ask("resources/read", uri=link.decode())
    if b"begin" not in answer:
        raise RuntimeError(f"{server.contestant.name}: no page was read: {answer[:300]!r}")


def measure_memory_at_work(lab: Lab) -> Numbers:
    """The most that was seen while two pages were being read."""

    def read(server: Connection) -> list[float]:
        read_page(server, lab, 50)
        most = 0.0
        for _ in range(3):
            ids = []
            for _ in range(2):
                url, _text = lab.page(500)
                arguments = {"url": url, **server.contestant.page}
                ids.append(server.send("tools/call", name="scrape_page", arguments=arguments))
            end = time.perf_counter() + 0.4
            while time.perf_counter() < end:
                most = max(most, server.tree.measure_memory())
            server.wait_for_all(ids)
        return [most]

    return lab.measure(read)


def time_call(work: Callable[[], object]) -> float:
    """Milliseconds that it takes."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


@dataclass(frozen=True)
class Measure:
    """A row of the table."""

    name: str
    unit: str
    take: Callable[[Lab], Numbers]


MEASURES = (
    Measure("spawn to tools/list, CPU", "ms", measure_start),
    Measure("idle memory before the first call", "MB", measure_idle_memory),
    Measure("first search at once", "ms", lambda lab: measure_first_search(lab, 0)),
    Measure("first search after 2 s", "ms", lambda lab: measure_first_search(lab, 2)),
    Measure("cached search, CPU", "us", measure_cached_cpu),
    Measure("cached search, p50", "ms", measure_cached_time),
    Measure("uncached search, p50", "ms", lambda lab: measure_searches(lab, statistics.median)),
    Measure("uncached search, slowest of 20", "ms", lambda lab: measure_searches(lab, max)),
    Measure("scrape_page 5 KB, CPU", "ms", lambda lab: measure_page(lab, 5)),
    Measure("scrape_page 50 KB, CPU", "ms", lambda lab: measure_page(lab, 50)),
    Measure("scrape_page 500 KB, CPU", "ms", lambda lab: measure_page(lab, 500)),
    Measure("search_and_scrape 5 pages", "x limit", lambda lab: measure_search_and_scrape(lab, 5)),
    Measure(
        "search_and_scrape 10 pages", "x limit", lambda lab: measure_search_and_scrape(lab, 10)
    ),
    Measure("memory while two pages are read", "MB", measure_memory_at_work),
)


def print_table(lab: Lab, only: re.Pattern[str]) -> None:
    print("| Measure | Peer in Go | webquarry | Ratio | warm | Ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for measure in MEASURES:
        if not only.search(measure.name):
            continue
        peer, *ours = map(statistics.median, measure.take(lab).values())
        cells = [f"{measure.name}, {measure.unit}", f"{peer:.3g}"]
        for one in ours:
            cells += [f"{one:.3g}", f"{one / peer:.2f} x"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
