"""dbt-duckdb with our plugin: functions in every model, the bill in the log, no view that asks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.ask.fakes import FakeServers

ROOT = Path(__file__).parents[3]
PROFILE = """
shop:
  target: here
  outputs:
    here:
      type: duckdb
      path: shop.duckdb
      threads: 2
      plugins:
        - module: webquarry.batch.dbt
"""
PROJECT = """
name: shop
profile: shop
version: "1.0"
model-paths: ["models"]
flags: {send_anonymous_usage_stats: false}
"""
ASKED = "select 'Company ' || (i % 10) as company, {} as a from range(2000) t(i)"


def run_dbt(folder: Path, environ: dict[str, str], models: dict[str, str]) -> str:
    """What `dbt run` says of a project with these models."""
    (folder / "models").mkdir(exist_ok=True)
    for name, text in models.items():
        (folder / "models" / f"{name}.sql").write_text(text)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "dbt_project.yml").write_text(PROJECT)
    program = "from dbt.cli.main import cli; cli()"
    result = subprocess.run(
        [sys.executable, "-c", program, "run", "--profiles-dir", ".", "--no-use-colors"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)} | environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return result.stdout + result.stderr


def test_two_models_ask_each_question_once_and_the_log_has_the_bill(
    servers: FakeServers, environ: dict[str, str], tmp_path: Path
) -> None:
    call = "ask('Company ' || (i % 10), 'What industry is it in?').answer"
    table = "{{ config(materialized='table') }} " + ASKED.format(call)
    said = run_dbt(tmp_path, environ, {"one": table, "two": table})

    assert "Completed successfully" in said, said
    assert servers.messages == 10
    assert "10 calls" in said

    again = run_dbt(tmp_path, environ, {})
    assert "Completed successfully" in again, again
    assert servers.messages == 10


def test_view_that_asks_is_refused_and_one_with_a_column_of_that_name_is_not(
    servers: FakeServers, environ: dict[str, str], tmp_path: Path
) -> None:
    view = ASKED.format("ask('x', 'What is it?').answer")
    column = "select 1 as bid, 2 as ask"
    said = run_dbt(tmp_path, environ, {"asking": view, "prices": column})

    assert "materialized='table'" in said
    assert "PASS=1" in said
    assert "ERROR=1" in said
    assert servers.messages == 0
