"""`make demo-sql`: enriches a CSV of companies and prints the bill, without keys or internet.

The engine, the SQL functions and the bill are the real ones. Only the model and the search engine
are local servers, which know the companies of the CSV; nothing of the user is read.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from webquarry.sql.asking import ADDRESS
from webquarry.sql.progress import summarize
from webquarry.sql.rendering import render
from webquarry.sql.session import SqlSession

_LETTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class _Company:
    """An invented company."""

    industry: str
    ceo: str
    founded: int
    street_name: str
    street_nr: str
    postal_code: str
    city: str


_COMPANIES = {
    "Northwind Haulage": _Company(
        "Logistics", "Ada Brandt", 1974, "Station Road", "65", "HW4 2AB", "Harwick"
    ),
    "Bluepeak Software": _Company(
        "Software", "Jon Weber", 2009, "Hafenstrasse", "35", "24434", "Osterby"
    ),
    "Solace Energy": _Company("Energy", "Mia Okoye", 1998, "Molevej", "28", "6857", "Lindholm"),
    "Marlow Textiles": _Company(
        "Textiles", "Ruth Ellery", 1951, "Mill Lane", "26", "MW9 5TX", "Marlowby"
    ),
}


class _FakeServers:
    """A model and a search engine on 127.0.0.1; a model that is asked to `[search]` searches."""

    def __init__(self) -> None:
        self.messages = self.searches = 0
        self._lock = threading.Lock()
        servers = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                query = parse_qs(urlsplit(self.path).query)["q"][0]
                self._reply(servers.search(query))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self._reply(servers.answer(body))

            def _reply(self, reply: dict[str, Any]) -> None:
                content = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a process that uses these servers."""
        url = f"http://127.0.0.1:{self._server.server_port}"
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "demo-model-key",
            "WEBQUARRY_BRAVE_URL": url,
            "BRAVE_API_KEY": "demo-search-key",
            "NO_PROXY": "127.0.0.1",
        }

    def search(self, query: str) -> dict[str, Any]:
        """Return results in the format of Brave."""
        with self._lock:
            self.searches += 1
        results = [
            {
                "title": f"{query} ({number})",
                "url": f"https://site{number}.example/",
                "description": f"Finding {number} on {query}.",
            }
            for number in range(1, 8)
        ]
        web = {"type": "search", "results": results}
        return {"type": "search", "query": {"original": query}, "web": web}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a message in the format of the Messages API."""
        with self._lock:
            self.messages += 1
        question = body["messages"][0]["content"]
        company = question.partition("Context: ")[2].partition("\n")[0].strip()
        content: dict[str, Any] = {"type": "text", "text": _answer(company, question)}
        reason = "end_turn"
        if "[search]" in question and len(body["messages"]) == 1:
            query = {"query": company}
            content = {"type": "tool_use", "id": "call", "name": "web_search", "input": query}
            reason = "tool_use"
        tokens = {
            "input_tokens": len(json.dumps(body)) // _LETTERS_PER_TOKEN,
            "output_tokens": len(json.dumps(content)) // _LETTERS_PER_TOKEN,
        }
        return {"content": [content], "stop_reason": reason, "usage": tokens}


def main() -> None:
    """Print the whole demo."""
    with tempfile.TemporaryDirectory() as folder, _FakeServers() as servers:
        _write(
            "A stand-in on this machine plays the model, and another one the search engine: no "
            "keys, no internet.\nThe companies and the answers are invented. The functions, the "
            "limits and the bill are real.\n"
        )
        environ = servers.environ | {
            "HOME": folder,
            "WEBQUARRY_STATE_FOLDER": folder,
            "WEBQUARRY_CACHE": "0",
        }
        with SqlSession.open(environ=environ) as session:
            session.show_progress(False)
            companies = resources.files("webquarry") / "data" / "sql" / "companies.csv"
            _run_statements(session, Path(str(companies)))
        _write(
            f"\nThe model was asked {servers.messages} times and the search engine "
            f"{servers.searches} times. Both were stand-ins:\nwith ANTHROPIC_API_KEY set, "
            "`webquarry sql` asks a real model, which is not free."
        )


def _run_statements(session: SqlSession, companies: Path) -> None:
    """Run the statements of the demo."""
    _write(
        "A CSV of companies, one of them twice\n  CREATE TABLE companies AS FROM 'companies.csv'\n"
    )
    session.sql("CREATE TABLE companies AS FROM read_csv($1)", [str(companies)])
    _run(session, "", "FROM companies")
    session.sql("SELECT webquarry_set('dry_run', 'on')")
    question = (
        "SELECT company, stps_ask_ai(company, 'Which industry? One word.') AS industry "
        "FROM companies"
    )
    _run(session, "What would it cost? A dry run counts and costs nothing", question, rows=False)
    session.sql("SELECT webquarry_set('dry_run', 'off')")
    _run(session, "The real run: equal rows are asked once", question)
    _run(
        session,
        "Typed answers with sources; all rows are counted before the first is paid for",
        "SELECT company, answer.ceo, answer.founded, searched, len(sources) AS sources FROM "
        "ask_table('companies', company, '[search] Who leads it, and since when does it exist?', "
        """schema := '{"ceo": "VARCHAR", "founded": "INTEGER"}')""",
    )
    _run(
        session,
        "An address in parts",
        "SELECT DISTINCT company, unnest(a) FROM (SELECT company, stps_ask_ai_address(company) "
        "AS a FROM companies) ORDER BY company",
    )
    _run(session, "The same again costs nothing", question, rows=False)
    _run(
        session,
        "The bill of today",
        "SELECT model, sum(questions) AS questions, sum(calls) AS calls, sum(searches) AS "
        "searches, "
        "round(sum(usd), 4) AS usd FROM webquarry_usage() WHERE calls > 0 GROUP BY model",
    )


def _run(session: SqlSession, title: str, statement: str, *, rows: bool = True) -> None:
    """Run a statement and print its title, its rows and its cost."""
    if title:
        _write(f"\n{title}\n  {statement}\n")
    result = session.sql(statement)
    if rows:
        for line in render(result, "table").splitlines():
            _write(f"  {line}")
    if result.progress.rows:
        _write(f"  -> {summarize(result.progress)}")


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _answer(company: str, question: str) -> str:
    """Return what the model knows about a company."""
    known = _COMPANIES.get(company)
    if known is None:
        return "unknown"
    if "postal address" in question:
        return json.dumps({name: getattr(known, name) for name in ADDRESS})
    if "Who leads it" in question:
        return json.dumps({"ceo": known.ceo, "founded": known.founded})
    return known.industry


if __name__ == "__main__":
    main()
