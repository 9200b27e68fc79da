"""`webquarry read FILE` and `webquarry FILE`: local files are read like pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_app import Runner

DOCUMENTS = Path(__file__).parents[2] / "bench" / "documents" / "files"
PAGE = "<html><head><title>Harbor log</title></head><body><h1>Harbor log</h1><p>Nine boats came in.</p></body></html>"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(monkeypatch)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("log.html", PAGE, "Nine boats came in."),
        ("log.md", "# Harbor log\n\nNine boats came in.\n", "Nine boats came in."),
        ("log.csv", "boat,berth\nTern,4\n", "|Tern|4|"),
    ],
)
@pytest.mark.parametrize("command", [[], ["read"]])
def test_text_of_a_file_is_printed(
    run: Runner, tmp_path: Path, command: list[str], name: str, content: str, expected: str
) -> None:
    (tmp_path / name).write_text(content, "utf-8")

    done = run(*command, name)

    answer = json.loads(done.stdout)
    assert expected in answer["content"]
    assert answer["url"] == (tmp_path / name).as_uri()


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx"])
def test_documents_are_read(run: Runner, suffix: str) -> None:
    file = sorted(DOCUMENTS.glob(f"*.{suffix}"))[0]

    answer = json.loads(run("read", str(file)).stdout)

    assert answer["contentType"] == suffix
    assert answer["content"].strip()


def test_name_of_a_command_is_the_command_and_a_path_is_the_file(
    run: Runner, tmp_path: Path
) -> None:
    (tmp_path / "doctor").write_text("Nine boats came in.", "utf-8")

    assert "Nine boats" in run("./doctor").stdout.decode()
    assert "Nine boats" not in run("doctor", "--offline").stdout.decode()


def test_path_without_a_file_is_an_error(run: Runner) -> None:
    for command in (["read", "./none.html"], ["./none.html"]):
        done = run(*command)

        assert done.returncode == 1
        assert b"./none.html is not a file" in done.stderr


def test_url_of_a_file_is_refused_by_the_tool(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "log.html").write_text(PAGE, "utf-8")

    done = run("call", "scrape_page", json.dumps({"url": (tmp_path / "log.html").as_uri()}))

    assert done.returncode == 1
    assert b"Nine boats" not in done.stdout
