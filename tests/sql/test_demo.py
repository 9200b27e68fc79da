"""`make demo-sql`: a CSV is enriched on the fake servers, and the bill is the real one."""

from __future__ import annotations

import pytest

from webquarry.sql.demo import main


def test_demo_enriches_a_csv_and_prints_the_bill(capsys: pytest.CaptureFixture[str]) -> None:
    main()

    said = capsys.readouterr().out
    assert "dry run: 4 calls, at most $" in said
    assert "5 rows, 8 calls, 1 kept, 4 searches, $0." in said
    assert "The model was asked 16 times and the search engine 4 times." in said
    bill = next(line for line in said.splitlines() if "claude-sonnet-5-5" in line)
    assert [cell.strip() for cell in bill.split("|")][1:4] == ["12", "16", "4"]


def test_answers_fit_the_companies_and_the_model_is_called_a_stand_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main()

    first, *lines = capsys.readouterr().out.splitlines()
    assert "stand-in" in first
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if "|" in line]
    industries = {row[0]: row[1] for row in cells if len(row) == 2}
    assert industries["Bluepeak Software"] == "Software"
    assert industries["Solace Energy"] == "Energy"
    assert industries["Marlow Textiles"] == "Textiles"
    assert industries["Northwind Haulage"] == "Logistics"
    leaders = {row[0]: row[1] for row in cells if row[3:4] == ["true"]}
    assert len(set(leaders.values())) == len(leaders) == 4
