"""A program that presses Ctrl-C on itself in the middle of a paid statement, and says as JSON how
that went.

python -m tests.sql.interrupted THREADS HOME plain|session
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time

import duckdb

import webquarry.sql
from tests.model_servers import FakeServers

LATENCY = 60.0
STATEMENT = "SELECT count(stps_ask_ai(x, 'who?')) FROM t"


def press(servers: FakeServers, results: dict[str, float]) -> None:
    while not servers.in_flight:
        time.sleep(0.01)
    results["before"] = servers.messages
    results["pressed"] = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)


def interrupt(threads: int, home: str, way: str) -> dict[str, float | str]:
    results: dict[str, float] = {}
    with FakeServers(latency=LATENCY) as servers:
        connection = duckdb.connect()
        connection.execute(f"SET threads = {threads}").fetchall()
        connection.execute("CREATE TABLE t AS SELECT range AS x FROM range(300000)").fetchall()
        session = webquarry.sql.install(connection, environ=servers.environ | {"HOME": home})
        finger = threading.Thread(target=press, args=(servers, results))
        finger.start()
        raised = ""
        try:
            if way == "session":
                session.sql(STATEMENT, lint=False)
            else:
                connection.execute(STATEMENT).fetchall()
        except BaseException as error:
            raised = type(error).__name__
        seconds = time.monotonic() - results["pressed"]
        finger.join()
        with contextlib.suppress(
            KeyboardInterrupt
        ):  # a plain connection may tell of it a second time
            time.sleep(0.3)
        after = servers.messages
        servers.latency = 0.0
        usable = connection.execute("SELECT stps_ask_ai('again', 'still there?')").fetchall()[0][0]
        connection.close()
    return {
        "seconds": seconds,
        "raised": raised,
        "before": results["before"],
        "after": after,
        "usable": usable,
    }


if __name__ == "__main__":
    results = {}
    for case in sys.argv[2:]:
        wanted, _, kind = case.partition(":")
        results[case] = interrupt(int(wanted), os.path.join(sys.argv[1], wanted), kind)
    sys.stdout.write(json.dumps(results))
