"""The commands `pack`, `verify`, `verify --live` and its alias `drift` on the recorded web."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import webquarry
from webquarry.cli.app import cli as app
from webquarry.sessions.models import KeptQuote
from webquarry.toolkit import Toolkit

PAGE = "https://tidelines.example/2026/09/storing-the-tide"
QUOTE = "The tide is a machine that never stops"


@pytest.fixture(autouse=True)
def own_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / "state"))
    monkeypatch.setenv("WEBQUARRY_CACHE_FOLDER", str(tmp_path / "cache"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def researched(*quotes: str) -> str:
    """A session that read a page, found others, and quotes these words, found or not."""
    begun = webquarry.call("sequential_search", searchStep="Storing the tide", stepNumber=1)
    id = str(begun.as_dict()["sessionId"])
    webquarry.call("web_search", query="tidal energy storage", sessionId=id)
    webquarry.call("scrape_page", url=PAGE, sessionId=id)

    async def keep() -> None:
        async with Toolkit.open() as kit:
            page = await kit.pages.get_words(PAGE)
            session = await kit.sessions.read(id)
            kept = [
                KeptQuote(
                    words or page.words.text.splitlines()[-1][:60],
                    "exact",
                    PAGE,
                    text_hash=page.words.digest,
                    read_at=page.fetched_at.isoformat(),
                )
                for words in quotes
            ]
            await kit.sessions.record_quotes(session, "check_quotes", kept)

    asyncio.run(keep())
    return id


def packed(tmp_path: Path, id: str, *options: str) -> Path:
    file = tmp_path / f"{len(list(tmp_path.glob('*.wacz')))}.wacz"
    done = run("pack", id, "-o", str(file), "--json", *options)
    assert done.exit_code == 0, done.output
    return file


def test_pack_is_verified_without_other_files(tmp_path: Path) -> None:
    file = packed(tmp_path, researched(""))
    bare = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "webquarry", "verify", str(file), "--json"],
        env={**bare, "HOME": str(tmp_path / "nowhere")},
        capture_output=True,
        check=True,
    )
    report = json.loads(done.stdout)

    assert report["intact"] is True
    assert (report["texts"], report["remade"], report["problems"]) == (1, 1, [])
    assert sum(report["quotes"].values()) == 1
    assert not (tmp_path / "nowhere").exists()


def test_the_same_session_is_packed_to_the_same_bytes(tmp_path: Path) -> None:
    id = researched("")

    assert packed(tmp_path, id).read_bytes() == packed(tmp_path, id).read_bytes()


def test_changed_byte_exits_with_1_and_names_the_problem(tmp_path: Path) -> None:
    file = packed(tmp_path, researched(""))
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    done = run("verify", str(file), "--json")

    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["kind"] == "bad_input"
    assert run("verify", str(tmp_path / "none.wacz")).exit_code == 1


def test_text_that_differs_from_its_bytes_is_reported(tmp_path: Path) -> None:
    """Somebody has written another text and made every hash anew."""
    from webquarry.verify.wacz import read_wacz

    file = packed(tmp_path, researched(""))
    contents = read_wacz(file.read_bytes())
    source = next(one for one in contents.evidence["sources"] if "textRecord" in one)
    text = contents.records[source["textRecord"]].block.decode()
    forged = forge_text(file.read_bytes(), text, text.replace("tide", "wind"))
    file.write_bytes(forged)
    done = run("verify", str(file), "--json")
    report = json.loads(done.stdout)

    assert done.exit_code == 1
    assert [problem for problem in report["problems"] if "do not give the stated text" in problem]


def forge_text(data: bytes, text: str, other: str) -> bytes:
    """A pack with another text in the place of one, whose digests and hashes all fit."""
    from hashlib import sha256

    from webquarry.verify.wacz import read_wacz, write_wacz

    contents = read_wacz(data)
    records = []
    ids = {}
    for id, record in contents.records.items():
        if record.block == text.encode():
            record = replace(record, block=other.encode())
        ids[id] = record.id
        records.append(record)
    evidence = contents.evidence
    for source in evidence["sources"]:
        if "textRecord" in source:
            source["textRecord"] = ids[source["textRecord"]]
            source["textHash"] = sha256(other.encode()).hexdigest()
    evidence["quotes"] = []
    return write_wacz(records, [], evidence, {})


def test_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    id = researched("")
    file = packed(tmp_path, id)

    assert run("pack", id, "-o", str(file)).exit_code == 1
    assert run("pack", id, "-o", str(file), "--force").exit_code == 0
    assert run("pack", id, "-o", str(tmp_path / "no" / "a.wacz")).exit_code == 1


@pytest.mark.parametrize("from_pack", [False, True])
def test_live_check_of_an_unchanged_page_reports_the_same_text(
    tmp_path: Path, from_pack: bool
) -> None:
    subject = researched("")
    if from_pack:
        subject = str(packed(tmp_path, subject))
    done = run("verify", "--live", subject, "--json")
    answer: dict[str, Any] = json.loads(done.stdout)

    assert done.exit_code == 0
    assert answer["counts"] == {"same_text": 1}
    assert [page["url"] for page in answer["pages"]] == [PAGE]


def test_changed_quote_ends_in_exit_code_4(tmp_path: Path) -> None:
    id = researched(QUOTE)
    other = run("drift", id, "--text")
    assert "same_text" in other.stdout  # the hash says that nothing changed

    async def forget_hash() -> None:
        async with Toolkit.open() as kit:
            session = await kit.sessions.read(id)
            quote = KeptQuote(QUOTE, "exact", PAGE, text_hash="00")
            await kit.sessions.record_quotes(session, "check_quotes", [quote])

    asyncio.run(forget_hash())
    done = run("drift", id, "--json")

    assert done.exit_code == 4
    assert json.loads(done.stdout)["counts"] == {"quote_gone": 1}
    assert run("drift", id, "--fail-on", "none").exit_code == 0
    assert run("drift", id, "--fail-on", "weather").exit_code == 1
