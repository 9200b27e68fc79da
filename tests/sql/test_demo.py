"""`make demo-sql`: a CSV is enriched on the fake servers, and the bill is the real one."""

from __future__ import annotations

import pytest
from scripts.demo_sql import main


def test_demo_enriches_a_csv_and_prints_the_bill(capsys: pytest.CaptureFixture[str]) -> None:
    main()

    said = capsys.readouterr().out
    assert "stand-in" in said.splitlines()[0]
    assert "dry run: 4 calls, at most $" in said
    assert "5 rows, 8 calls, 1 kept, 4 searches, $0." in said
    assert "The model was asked 16 times and the search engine 4 times." in said
    bill = next(line for line in said.splitlines() if "claude-sonnet-5-5" in line)
    assert [cell.strip() for cell in bill.split("|")][1:4] == ["12", "16", "4"]
    cells = [
        [cell.strip() for cell in line.split("|")] for line in said.splitlines() if "|" in line
    ]
    assert ["Bluepeak Software", "Software"] in cells
    assert ["Solace Energy", "Mia Okoye", "1998", "true", "5"] in cells
