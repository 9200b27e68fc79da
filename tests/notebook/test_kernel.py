"""Our part of a notebook in a real kernel: what is shown, how far it is, and how it is stopped."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.model_servers import FakeServers
from tests.notebook.kernel import outputs_of, result_of, run_cells

pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytestmark = pytest.mark.slow

CELLS = (
    "%load_ext webquarry\nimport webquarry, sys",
    "%%ask --context Acme -o reply\nWho leads it? [search]",
    "companies = ['Alder', 'Birch', 'Alder', None]",
    "%%ask --table companies\nWhich industry?",
    "session = webquarry.sql.open()\n"
    "session.sql(\"SELECT ask(x::VARCHAR, 'why?').answer FROM range(9) t(x)\")",
    "import duckdb\ncon = duckdb.connect()\nwebquarry.sql.install(con)\n"
    "con.sql(\"SELECT stps_ask_ai('plain', 'how?')\").fetchall()",
    "outcomes = webquarry.read_all(['https://nobody.invalid/', 'ftp://odd'])",
    "outcomes = await webquarry.read_all_async(['ftp://odd'])",
    "%%ask --context Acme\nWho leads it? [fail] really",
    "'ipywidgets' in sys.modules, reply.usage.calls",
    "%unload_ext webquarry",
    "%%ask\nAnything?",
)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells after they have run, in one kernel."""
    home = tmp_path_factory.mktemp("home")
    with FakeServers(latency=0.05) as servers:
        return run_cells(CELLS, home, servers.environ)


def progress_of(cell: Any) -> str:
    """The one line that the progress of a cell has left."""
    (output,) = outputs_of(cell, "display_data")
    assert "<progress" not in output.data["text/html"], "the bar goes when the work is done"
    text: str = output.data["text/plain"]
    assert text in output.data["text/html"]
    return text


def test_a_question_is_shown_with_its_sources_as_links(cells: list[Any]) -> None:
    shown = result_of(cells[1])

    assert '<a href="https://site1.example/"' in shown["text/html"]
    assert "Answer to" in shown["text/plain"]
    assert progress_of(cells[1]).startswith("1 rows, 2 calls, 0 kept, 1 searches, $")


def test_a_question_about_each_row_is_one_table_and_one_line_of_progress(cells: list[Any]) -> None:
    shown = result_of(cells[3])

    assert shown["text/html"].count("<tr>") == 5
    assert "Birch" in shown["text/html"]
    assert progress_of(cells[3]).startswith("3 rows, 2 calls, 1 kept")


def test_a_statement_shows_its_progress_below_the_cell_that_runs_it(cells: list[Any]) -> None:
    assert progress_of(cells[4]).startswith("9 rows, 9 calls, 0 kept")
    assert result_of(cells[4])["text/html"].count("<tr>") == 10


def test_a_plain_connection_shows_its_progress_in_a_cell_of_its_own(cells: list[Any]) -> None:
    assert progress_of(cells[5]).startswith("1 rows, 1 calls")


def test_many_pages_show_how_many_of_them_are_read(cells: list[Any]) -> None:
    assert progress_of(cells[6]) == "2 of 2, 2 failed"
    assert progress_of(cells[7]) == "1 of 1, 1 failed"


def test_failed_question_is_one_line_with_an_action(cells: list[Any]) -> None:
    (output,) = outputs_of(cells[8], "error")

    assert output.ename == "ProviderFailure"
    assert len(output.traceback) == 1


def test_progress_needs_no_ipywidgets_and_the_answer_is_in_its_variable(cells: list[Any]) -> None:
    assert result_of(cells[9])["text/plain"] == "(False, 2)"


def test_the_magics_go_when_the_extension_is_unloaded(cells: list[Any]) -> None:
    (output,) = outputs_of(cells[11], "stream")

    assert "`%%ask` not found" in output.text


ROWS = 12
ANSWERED = 4


class LaterSlow(FakeServers):
    """A model that answers so many questions at once, and the others when nobody waits any more."""

    quick = ANSWERED

    @property
    def latency(self) -> float:
        return 0.0 if self.messages <= self.quick else 600.0

    @latency.setter
    def latency(self, seconds: float) -> None:
        pass


def test_interrupted_cell_stops_and_paid_answers_are_reused(
    tmp_path: Path,
) -> None:
    codes = (
        "%load_ext webquarry",
        f"things = [f'thing {{n}}' for n in range({ROWS})]",
        "%%ask --table things\nWhat is it?",
        "%%ask --table things -o rows\nWhat is it?",
        "len(rows.answers), rows.progress.hits, rows.progress.usage.calls",
    )
    asked: list[int] = []
    done = threading.Event()
    with LaterSlow() as servers:

        def press(client: Any) -> None:
            while servers.in_flight < ROWS - ANSWERED and not done.wait(0.01):
                pass
            os.kill(client.km.provisioner.process.pid, signal.SIGINT)

        def begin(client: Any, number: int) -> None:
            if number == 2:
                finger.append(threading.Thread(target=press, args=(client,)))
                finger[0].start()
            if number == 3:
                asked.append(servers.messages)
                servers.quick = 1000

        finger: list[threading.Thread] = []
        cells = run_cells(codes, tmp_path, servers.environ, begin)
        done.set()
        finger[0].join()

    (error,) = outputs_of(cells[2], "error")
    assert error.ename == "KeyboardInterrupt"
    (progress,) = outputs_of(cells[2], "display_data")
    assert "run the cell again" in progress.data["text/plain"]
    assert asked == [ROWS], "no call was begun after the interrupt"
    assert result_of(cells[4])["text/plain"] == f"({ROWS}, {ANSWERED}, {ROWS - ANSWERED})"
