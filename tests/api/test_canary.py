"""A canary key is sent and then searched for in everything that comes out: stdout, stderr, debug
logs, recordings.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.executables import (
    BRAVE,
    GOOGLE,
    KEYS,
    Answer,
    Asked,
    Done,
    InProcess,
    Site,
    as_json,
    run_script,
)
from tests.search.replies import ERRORS, recorded, status_of
from webquarry import secret

CANARIES = {BRAVE: "canary/brave+5f1e=", GOOGLE: "canary/google+77ab="}
QUERY = {"query": "tidal turbine"}
each_script = pytest.mark.parametrize("script", [BRAVE, GOOGLE])


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    """What other tests have made known as secret must not help here."""
    known = set(secret._KNOWN)
    secret._KNOWN.clear()
    yield InProcess(monkeypatch)
    secret._KNOWN.update(known)


def settings(site: Site, tape: Path) -> dict[str, str]:
    canaries = {"BRAVE_API_KEY": CANARIES[BRAVE], "GOOGLE_SEARCH_API_KEY": CANARIES[GOOGLE]}
    return site.environ | canaries | {"WEBQUARRY_LOG_LEVEL": "debug", "WEBQUARRY_RECORD": str(tape)}


def spellings(canary: str) -> list[bytes]:
    forms = [canary, quote(canary, safe=""), base64.b64encode(canary.encode()).decode(), "canary"]
    return [form.encode() for form in forms]


def assert_no_canary(done: Done, tape: Path, script: str) -> None:
    written = gzip.decompress(tape.read_bytes()) if tape.exists() and tape.suffix == ".gz" else b""
    for form in spellings(CANARIES[script]):
        assert form not in done.stdout
        assert form not in done.stderr.encode()
        assert form not in written


def key_of(asked: Asked) -> str:
    return asked.headers.get("x-subscription-token") or asked.headers["x-goog-api-key"]


@each_script
def test_no_canary_in_a_success(run: InProcess, tmp_path: Path, script: str) -> None:
    tape = tmp_path / "tape.warc.gz"
    with Site(as_json(recorded("brave/ok_200" if script == BRAVE else "google/ok_200"))) as site:
        done = run(script, QUERY, settings(site, tape))

    assert done.code == 0
    assert [key_of(asked) for asked in site.asked] == [CANARIES[script]] * len(
        site.asked
    )  # it was really sent
    assert b"tidal" in gzip.decompress(tape.read_bytes()).lower()  # it was really recorded
    assert_no_canary(done, tape, script)


@pytest.mark.parametrize("name", ERRORS)
def test_no_canary_in_any_recorded_error(run: InProcess, tmp_path: Path, name: str) -> None:
    script = BRAVE if name.startswith("brave") else GOOGLE
    with Site(as_json(recorded(name), status_of(name))) as site:
        done = run(script, QUERY, settings(site, tmp_path / "tape.warc.gz"))

    assert done.error
    assert "Traceback" in done.stderr  # the debug log was really on
    assert_no_canary(done, tmp_path / "tape.warc.gz", script)


@each_script
@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("json", 200),
        ("json", 403),
        ("json", 422),
        ("json", 500),
        ("html", 200),
        ("html", 429),
        ("text", 401),
        ("text", 404),
    ],
)
def test_no_canary_when_the_server_puts_the_key_back_into_its_answer(
    run: InProcess, tmp_path: Path, script: str, form: str, status: int
) -> None:
    def echo(asked: Asked) -> Answer:
        key, headers = (
            key_of(asked),
            {"X-Echo": key_of(asked), "Set-Cookie": f"key={quote(key_of(asked), safe='')}"},
        )
        if form == "json":
            said = {
                "code": f"CODE {key}",
                "detail": f"bad key {key}",
                "message": f"bad key {key}",
                "status": key,
            }
            return as_json({"error": said, "errors": [said]}, status, headers)
        kind = "text/html" if form == "html" else "text/plain"
        return Answer(
            f"<html>X-Subscription-Token: {key}</html>".encode(),
            status,
            {"Content-Type": kind} | headers,
        )

    with Site(echo) as site:
        done = run(script, QUERY, settings(site, tmp_path / "tape.warc.gz"))

    assert done.error
    assert_no_canary(done, tmp_path / "tape.warc.gz", script)


@each_script
def test_no_canary_when_the_results_themselves_hold_the_key(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    def echo(asked: Asked) -> Answer:
        key = key_of(asked)
        hit = {
            "title": key,
            "url": f"https://a.example/{quote(key, safe='').lower()}",
            "description": key,
        }
        item = {
            "title": key,
            "link": f"https://a.example/?q={quote(key, safe='')}",
            "snippet": f"&{key}&",
        }
        return as_json(
            {"query": {}, "web": {"results": [hit]}, "queries": {"request": [{}]}, "items": [item]}
        )

    with Site(echo) as site:
        done = run(script, QUERY, settings(site, tmp_path / "tape.warc.gz"))

    assert len(done.answer["results"]) == 1
    assert_no_canary(done, tmp_path / "tape.warc.gz", script)


@each_script
def test_no_canary_when_the_connection_fails(run: InProcess, tmp_path: Path, script: str) -> None:
    with Site(Answer(b"")) as site:
        pass  # nobody listens there any more
    done = run(script, QUERY, settings(site, tmp_path / "tape.warc.gz"))

    assert "Connection refused" in done.error
    assert_no_canary(done, tmp_path / "tape.warc.gz", script)


@each_script
def test_no_canary_when_a_redirect_asks_for_the_key_elsewhere(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    def send_on(asked: Asked) -> Answer:
        return Answer(
            b"", 302, {"Location": f"{thief.origin}/?key={quote(key_of(asked), safe='')}"}
        )

    with Site(as_json({"query": {}})) as thief, Site(send_on) as site:
        done = run(script, QUERY, settings(site, tmp_path / "tape.warc.gz"))

    assert done.error
    assert all("canary" not in str(asked.headers) for asked in thief.asked)
    assert_no_canary(done, tmp_path / "tape.warc.gz", script)


def test_no_canary_when_the_key_cannot_be_a_key(run: InProcess, tmp_path: Path) -> None:
    done = run(BRAVE, QUERY, {"BRAVE_API_KEY": "canary brave", "WEBQUARRY_LOG_LEVEL": "debug"})

    assert done.error.startswith("Authentication required: BRAVE_API_KEY not found.")
    assert "canary" not in done.stderr


def test_no_canary_from_the_real_script(tmp_path: Path) -> None:
    tape = tmp_path / "tape.warc.gz"
    with Site(
        lambda asked: as_json({"error": {"code": "X", "detail": key_of(asked)}}, 500)
    ) as site:
        done = run_script(BRAVE, QUERY, settings(site, tape))

    assert done.error
    assert_no_canary(done, tape, BRAVE)


def test_the_keys_of_the_other_tests_are_canaries_too() -> None:
    assert all("canary" in value for name, value in KEYS.items() if name.endswith("_API_KEY"))
