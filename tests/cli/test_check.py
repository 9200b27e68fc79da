"""`webquarry check`: a table or JSON, exit codes for continuous integration, annotations, offline
from a recording, files and archives.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_app import RECORDED, Runner
from webquarry.draft_check import build_reference_row
from webquarry.net.archive.replay import demo_recording

ARTICLE = "https://tidelines.example/2026/09/storing-the-tide"
GOOD = f"“You could set your watch by the smoke.” ([Tidelines]({ARTICLE}))\n"
BAD = f"\n“You could not set your watch by the smoke.” ([Tidelines]({ARTICLE}))\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    file = tmp_path / "report.md"
    file.write_text(GOOD + BAD, "utf-8")
    return file


def test_a_good_draft_passes_and_a_changed_quote_fails(run: Runner, draft: Path) -> None:
    failed = run("check", str(draft), settings=RECORDED)
    draft.write_text(GOOD, "utf-8")
    passed = run("check", str(draft), settings=RECORDED)

    told = json.loads(failed.stdout)
    assert (failed.returncode, passed.returncode) == (1, 0)
    assert told["summary"] == {"exact": 1, "near": 1}
    assert [finding["line"] for finding in told["findings"]] == [3, 1]
    assert "negation" in told["findings"][0]["detail"]


@pytest.mark.parametrize(("words", "code"), [("absent", 0), ("none", 0), ("near,absent", 1)])
def test_fail_on_selects_the_failing_verdicts(
    run: Runner, draft: Path, words: str, code: int
) -> None:
    assert run("check", str(draft), "--fail-on", words, settings=RECORDED).returncode == code


@pytest.mark.parametrize(
    "arguments", [("--fail-on", "nearly"), ("--annotations", "loud"), ("--nobody",)]
)
def test_wrong_usage_is_a_code_of_its_own(
    run: Runner, draft: Path, arguments: tuple[str, ...]
) -> None:
    assert run("check", str(draft), *arguments, settings=RECORDED).returncode == 2


def test_a_table_for_a_person_names_file_line_and_change(run: Runner, draft: Path) -> None:
    told = run(
        "check", str(draft), "--text", settings=RECORDED | {"COLUMNS": "250"}
    ).stdout.decode()

    assert "report.md:3" in told
    assert "“not” is “nothing” in the source" in told
    assert "whether a statement is true is not said" in told


def test_annotations_name_the_line(run: Runner, draft: Path) -> None:
    done = run("check", str(draft), "--annotations", "github", settings=RECORDED)

    (line,) = done.stdout.decode().splitlines()
    assert line.startswith("::error file=")
    assert "report.md,line=3,title=quote%3A near::" in line


def test_text_cannot_start_an_annotation(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"> nobody wrote this 100%\n> ::error::sneaky\n\n— {ARTICLE}\n", "utf-8")

    done = run("check", str(file), "--annotations", "github", settings=RECORDED)

    assert [line[:8] for line in done.stdout.decode().splitlines()] == ["::error "]


def test_sarif_has_a_result_for_each_finding(run: Runner, draft: Path) -> None:
    sarif = json.loads(run("check", str(draft), "--annotations", "sarif", settings=RECORDED).stdout)

    (result,) = sarif["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert sarif["version"] == "2.1.0"
    assert (result["ruleId"], result["level"], region) == ("quote/near", "error", {"startLine": 3})


def test_a_file_may_be_a_source_and_nothing_is_fetched_offline(run: Runner, tmp_path: Path) -> None:
    source = tmp_path / "source.html"
    source.write_text(
        "<p>The port was built in a single winter.</p>" + "<p>More.</p>" * 40, "utf-8"
    )
    file = tmp_path / "a.txt"
    file.write_text(
        f"“The port was built in a single winter.” It “was all in vain in the end” ({ARTICLE})."
    )

    done = run("check", str(file), "--source", str(source), "--offline")

    findings = json.loads(done.stdout)["findings"]
    assert [one["verdict"] for one in findings] == ["unchecked", "exact"]
    assert done.returncode == 0


def test_an_archive_of_pages_is_a_source(run: Runner, tmp_path: Path, draft: Path) -> None:
    pack = tmp_path / "evidence.wacz"
    with zipfile.ZipFile(pack, "w") as archive:
        archive.write(demo_recording(), "archive/data.warc.gz")

    done = run("check", str(draft), "--source", str(pack), "--offline")

    found = [one["verdict"] for one in json.loads(done.stdout)["findings"]]
    assert found == ["near", "exact"]


def test_a_folder_as_a_source_is_called_one(run: Runner, draft: Path, tmp_path: Path) -> None:
    done = run("check", str(draft), "--source", str(tmp_path))

    assert done.returncode == 1
    assert f"Error: {tmp_path} is not a file." in done.stderr.decode().replace("\n", " ")


def test_a_reference_fails_by_its_verdict_or_its_state() -> None:
    answer: dict[str, Any] = {"verdict": "confirmed", "status": "concern", "line": 4, "key": "a"}

    row = build_reference_row("works.bib", 1, answer)

    assert (row.line, row.verdicts[0]) == (4, "confirmed")
    assert row.fails(frozenset({"concern"}))
    assert not row.fails(frozenset({"conflict"}))
