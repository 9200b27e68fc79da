"""`%%ask` and `%web`: what they take, what they say to a mistake, and what they give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest

import webquarry
from tests.model_servers import FakeServers
from webquarry.api import CiteOutput
from webquarry.notebook.asking import list_columns, read_column, release_instance
from webquarry.tools.research._search import SearchOutput

pytest.importorskip("IPython", reason="IPython is not installed")

NAMES = ["Alder", "Birch", None]


@pytest.fixture(scope="module")
def new_shell(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    folder = str(tmp_path_factory.mktemp("ipython"))
    shell = InteractiveShell(config=config, ipython_dir=folder)  # type: ignore[no-untyped-call]
    shell.run_line_magic("load_ext", "webquarry")
    return shell


@pytest.fixture
def shell(new_shell: Any) -> Iterator[Any]:
    new_shell.user_ns.clear()
    yield new_shell
    release_instance()


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeServers]:
    with FakeServers() as servers:
        for name, value in (servers.environ | {"HOME": str(tmp_path)}).items():
            monkeypatch.setenv(name, value)
        yield servers
        release_instance()


@pytest.fixture
def recorded_web(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("BRAVE_API_KEY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path))


def test_the_cell_is_the_question_and_the_line_says_how(shell: Any, servers: FakeServers) -> None:
    shell.user_ns["name"] = "Acme Corp"
    line = "--context {name} --model claude-haiku-4-5 --max-tokens 77 --no-search -o reply"
    expanded = shell.var_expand(line).replace("Acme Corp", '"Acme Corp"')

    given = shell.run_cell_magic("ask", expanded, "Who leads {it}?\n")

    assert given is shell.user_ns["reply"]
    assert "Context: Acme Corp" in given.answer
    assert "Who leads {it}?" in given.answer, "nothing in the cell is filled in"
    body = str(servers.bodies[-1])
    assert "claude-haiku-4-5" in body
    assert "77" in body
    assert "web_search" not in body


def test_the_same_cell_again_costs_nothing_unless_it_is_to_be_fresh(
    shell: Any, servers: FakeServers
) -> None:
    for line in ("--context A", "--context A", "--context A --fresh"):
        last = shell.run_cell_magic("ask", line, "Why?")
        assert last.answer

    assert servers.messages == 2
    (row, *_) = shell.run_line_magic("web", "bill --days 2")
    assert row["door"] == "notebook"
    assert row["sql"] == "Why?"


def test_dry_run_sends_no_request(shell: Any, servers: FakeServers) -> None:
    shell.user_ns["names"] = NAMES
    asked = shell.run_cell_magic("ask", "--table names --dry-run", "Why?")

    assert servers.messages == 0
    assert asked.progress.planned == 2
    assert asked.progress.worst_usd > 0


def test_a_limit_holds_for_the_cell(shell: Any, servers: FakeServers) -> None:
    shell.user_ns["names"] = NAMES

    with pytest.raises(webquarry.LimitReached):
        shell.run_cell_magic("ask", "--table names --max-usd 0.0001", "Why?")

    assert servers.messages == 0


def test_a_key_that_comes_later_is_found(
    shell: Any, servers: FakeServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = servers.environ["ANTHROPIC_API_KEY"]
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(webquarry.AuthFailure):
        shell.run_cell_magic("ask", "", "Why?")

    monkeypatch.setenv("ANTHROPIC_API_KEY", key)

    assert shell.run_cell_magic("ask", "", "Why?").answer


def make_tables() -> dict[str, Any]:
    import duckdb

    columns = {"name": NAMES, "size": [1, 2, 3]}
    dicts = [{"name": name, "size": 1} for name in NAMES]
    relation = duckdb.connect().sql("SELECT unnest(['Alder', 'Birch', NULL]) AS name, 1 AS size")
    session = webquarry.sql.open()
    return {
        "pandas": pandas.DataFrame(columns),
        "arrow": pyarrow.table(columns),
        "dicts": dicts,
        "lists": columns,
        "duckdb": relation,
        "ours": session.sql("SELECT unnest(['Alder', 'Birch', NULL]) AS name, 1 AS size"),
    }


@pytest.mark.parametrize("kind", ["pandas", "arrow", "dicts", "lists", "duckdb", "ours"])
def test_every_kind_of_table_gives_its_columns(kind: str) -> None:
    table = make_tables()[kind]

    assert list_columns(table) == ["name", "size"]
    assert read_column(table, "name") == NAMES


def test_frame_has_its_columns_and_the_answers(shell: Any, servers: FakeServers) -> None:
    frame = pandas.DataFrame({"name": NAMES, "error": [1, 2, 3]}, index=["x", "y", "y"])
    shell.user_ns["frame"] = frame

    asked = shell.run_cell_magic("ask", "--table frame --column name -o asked", "[search] Why?")

    assert servers.messages == 4
    answered = asked.df()
    assert list(answered.columns) == ["name", "error", "answer", "sources", "error (asked)"]
    assert list(answered.index) == ["x", "y", "y"], "no row is doubled"
    assert "Alder" in answered.loc["x", "answer"]
    assert answered.loc["x", "sources"][0]["url"] == "https://site1.example/"
    assert asked.answers[2] is None


def test_typed_answers_are_columns(shell: Any, servers: FakeServers) -> None:
    servers.answer = lambda question, model: '{"ceo": "Ada"}'
    shell.user_ns["names"] = ["Alder"]
    schema = '{"ceo":"VARCHAR"}'

    asked = shell.run_cell_magic("ask", f"--table names --schema '{schema}'", "Who?")

    assert asked.rows[0]["ceo"] == "Ada"
    assert "Ada" in asked._repr_html_()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--modle x", "No such option '--modle'"),
        ("--table nothing", "There is no variable nothing"),
        ("--table frame --column nam", "no column 'nam'. Choose one of name, size"),
        ("--table number", "of the type int is not a table"),
        ("--column name", "name that with --table"),
        ("--table frame --context x", "exclude each other"),
        ("--max-usd -1", "--max-usd"),
        ("-o 1a", "cannot be the name of a variable"),
    ],
)
def test_invalid_line_is_an_error_without_a_request(
    shell: Any, servers: FakeServers, line: str, said: str
) -> None:
    from IPython.core.error import UsageError

    shell.user_ns |= {"frame": pandas.DataFrame({"name": NAMES, "size": 1}), "number": 5}

    with pytest.raises((UsageError, webquarry.BadInput)) as raised:
        shell.run_cell_magic("ask", line, "Why?")

    told = getattr(raised.value, "sentences", str(raised.value))
    assert said in told
    assert servers.messages == 0


def test_empty_cell_is_an_error(shell: Any) -> None:
    with pytest.raises(Exception, match="The cell is empty"):
        shell.run_cell_magic("ask", "", " \n")


@pytest.mark.usefixtures("recorded_web")
def test_web_lines_return_the_answers_of_the_library(shell: Any) -> None:
    found = shell.run_line_magic("web", "search tidal energy storage -n 3")
    page = shell.run_line_magic("web", f"read {found.urls[0]} --find vanadium")
    cited = shell.run_line_magic("web", f"cite {found.urls[0]} --style bibtex")
    papers = shell.run_line_magic("web", "papers 'tidal energy storage'")

    assert isinstance(found, SearchOutput)
    assert found.result_count == 3
    assert page.matches
    assert isinstance(cited, CiteOutput)
    assert cited.text.startswith("@misc")
    assert papers.papers


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "needs a command"),
        ("serch x", "no command 'serch'. Use one of search, read"),
        ("search --sit x y", "No such option '--sit'"),
        ("read", "Missing argument"),
        ("search what's new", "is not closed"),
        ("bill --days none", "'--days'"),
    ],
)
def test_invalid_web_line_is_a_usage_error(shell: Any, line: str, said: str) -> None:
    from IPython.core.error import UsageError

    with pytest.raises(UsageError) as raised:
        shell.run_line_magic("web", line)

    assert said in str(raised.value)


def test_help_is_shown_and_nothing_is_called(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run_line_magic("web", "search --help") is None
    assert "--limit" in capsys.readouterr().out


@pytest.mark.usefixtures("recorded_web")
def test_the_recorded_web_has_a_local_model_that_needs_no_key(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_ASK_SEARCH_PROVIDER", "duckduckgo")
    line = '--model ollama/qwen3 --context "tidal power"'

    reply = shell.run_cell_magic("ask", line, "How is the gap at slack water closed?")

    assert "flow battery" in reply.answer
    assert len(reply.sources) == 5
    assert reply.usage.usd == 0
