"""`make demo-sql`: enriches a CSV of companies and prints the bill, without keys or internet.

The engine, the SQL functions and the bill are the real ones. Only the model and the search engine
are local servers, which know the companies of the CSV; nothing of the user is read.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.model_servers import FakeServers

from webquarry.sql import Session
from webquarry.sql.asking import ADDRESS
from webquarry.sql.progress import summarize
from webquarry.sql.rendering import render

_COMPANIES: dict[str, dict[str, Any]] = {
    "Northwind Haulage": {
        "industry": "Logistics", "ceo": "Ada Brandt", "founded": 1974,
        "street_name": "Station Road", "street_nr": "65", "postal_code": "HW4 2AB",
        "city": "Harwick",
    },
    "Bluepeak Software": {
        "industry": "Software", "ceo": "Jon Weber", "founded": 2009,
        "street_name": "Hafenstrasse", "street_nr": "35", "postal_code": "24434",
        "city": "Osterby",
    },
    "Solace Energy": {
        "industry": "Energy", "ceo": "Mia Okoye", "founded": 1998,
        "street_name": "Molevej", "street_nr": "28", "postal_code": "6857", "city": "Lindholm",
    },
    "Marlow Textiles": {
        "industry": "Textiles", "ceo": "Ruth Ellery", "founded": 1951,
        "street_name": "Mill Lane", "street_nr": "26", "postal_code": "MW9 5TX",
        "city": "Marlowby",
    },
}  # fmt: skip
_INDUSTRY = (
    "SELECT company, stps_ask_ai(company, 'Which industry? One word.') AS industry FROM companies"
)


def main() -> None:
    """Print the whole demo."""
    with tempfile.TemporaryDirectory() as folder, FakeServers() as servers:
        servers.answer = answer
        _write(
            "A stand-in on this machine plays the model, and another one the search engine: no "
            "keys, no internet.\nThe companies and the answers are invented. The functions, the "
            "limits and the bill are real.\n"
        )
        names = [*_COMPANIES, next(iter(_COMPANIES))]
        file = Path(folder) / "companies.csv"
        file.write_text("\n".join(["company", *names]))
        state = {"HOME": folder, "WEBQUARRY_STATE_FOLDER": folder, "WEBQUARRY_CACHE": "0"}
        with Session.open(environ=servers.environ | state) as session:
            session.show_progress(False)
            _run_statements(session, file)
        _write(
            f"\nThe model was asked {servers.messages} times and the search engine "
            f"{servers.searches} times. Both were stand-ins:\nwith ANTHROPIC_API_KEY set, "
            "`webquarry sql` asks a real model, which is not free."
        )


def answer(question: str, model: str) -> str:
    """Return what the model knows about a company."""
    company = question.partition("Context: ")[2].partition("\n")[0].strip()
    known = _COMPANIES[company]
    if "postal address" in question:
        return json.dumps({name: known[name] for name in ADDRESS})
    if "Who leads it" in question:
        return json.dumps({"ceo": known["ceo"], "founded": known["founded"]})
    return str(known["industry"])


def _run_statements(session: Session, companies: Path) -> None:
    """Run the statements of the demo."""
    _write(
        "A CSV of companies, one of them twice\n  CREATE TABLE companies AS FROM 'companies.csv'\n"
    )
    session.sql("CREATE TABLE companies AS FROM read_csv($1)", [str(companies)])
    _run(session, "", "FROM companies")
    session.sql("SELECT webquarry_set('dry_run', 'on')")
    title = "What would it cost? A dry run counts and costs nothing"
    _run(session, title, _INDUSTRY, rows=False)
    session.sql("SELECT webquarry_set('dry_run', 'off')")
    _run(session, "The real run: equal rows are asked once", _INDUSTRY)
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
    _run(session, "The same again costs nothing", _INDUSTRY, rows=False)
    _run(
        session,
        "The bill of today",
        "SELECT model, sum(questions) AS questions, sum(calls) AS calls, sum(searches) AS "
        "searches, round(sum(usd), 4) AS usd FROM webquarry_usage() WHERE calls > 0 "
        "GROUP BY model",
    )


def _run(session: Session, title: str, statement: str, *, rows: bool = True) -> None:
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


if __name__ == "__main__":
    main()
