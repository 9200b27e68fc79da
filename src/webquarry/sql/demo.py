"""`make demo-sql`: a CSV of companies comes in, an enriched table and its bill go out, without keys
or internet.

The engine, the SQL functions and the bill are the real ones. Only the model and the search engine
are stand-ins on 127.0.0.1, which know the companies of the CSV and nothing else; nothing of the
user's is looked at.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from webquarry.sql.progress import summarize
from webquarry.sql.rendering import render
from webquarry.sql.session import SqlSession
from webquarry.testing.model_and_search import FakeServers

_UNKNOWN = "unknown"


@dataclass(frozen=True)
class _Company:
    """What the stand-in for the model knows of a company, all of it invented."""

    industry: str
    ceo: str
    founded: int
    street: str
    number: str
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


def main() -> None:
    """The whole demo on stdout."""
    with tempfile.TemporaryDirectory() as folder, FakeServers(latency=0.1) as servers:
        servers.answer = _answer
        _write(
            "A stand-in on this machine plays the model, and another one the search engine: no "
            "keys, no internet.\nThe companies and all that is said of them are invented. The "
            "functions, the limits and the bill are real.\n"
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
            "`webquarry sql` asks a real model, and its bill is to be paid."
        )


def _run_statements(session: SqlSession, companies: Path) -> None:
    """The statements of the demo, one after the other."""
    _write(
        "A CSV of companies; one of them is there twice\n  CREATE TABLE companies AS FROM "
        "'companies.csv'\n"
    )
    session.sql("CREATE TABLE companies AS FROM read_csv($1)", [str(companies)])
    _run(session, "", "FROM companies")
    session.sql("SELECT webquarry_set('dry_run', 'on')")
    question = (
        "SELECT company, stps_ask_ai(company, 'Which industry? One word.') AS industry "
        "FROM companies"
    )
    _run(session, "What would it cost? A dry run counts, and pays nothing", question, rows=False)
    session.sql("SELECT webquarry_set('dry_run', 'off')")
    _run(session, "Now for real: equal rows are asked once", question)
    _run(
        session,
        "Typed answers, with the sources of those that searched; planned as a whole before the "
        "first is paid for",
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
    """Run a statement and show its title, its rows and what it took."""
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


def _answer(question: str, model: str) -> str:
    """What the stand-in says: what it knows of the company that the question is about."""
    name = question.partition("Context: ")[2].partition("\n")[0].strip()
    known = _COMPANIES.get(name)
    if known is None:
        return _UNKNOWN
    if "postal address" in question:
        address: dict[str, Any] = {
            "city": known.city,
            "postal_code": known.postal_code,
            "street_name": known.street,
            "street_nr": known.number,
        }
        return json.dumps(address)
    if "Who leads it" in question:
        return json.dumps({"ceo": known.ceo, "founded": known.founded})
    return known.industry


if __name__ == "__main__":
    main()
