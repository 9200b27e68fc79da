"""An executable answers as soon as one whole object and the end of its line have come: as a host
sees it, and piece by piece.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.executables import BRAVE, FETCH, Site, as_json, environment, script_path
from tests.search.replies import recorded
from webquarry.executable import MAX_BYTES, read_whole_value


@contextmanager
def started(script: str, environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A script whose stdin stays open; what it has not answered after a while is a failure."""
    process = subprocess.Popen(
        [script_path(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(environ),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def answer_of(process: subprocess.Popen[bytes], *pieces: bytes) -> tuple[int, dict[str, object]]:
    """What it answers to these pieces while its stdin is open."""
    assert process.stdin is not None
    assert process.stdout is not None
    for piece in pieces:
        process.stdin.write(piece)
        process.stdin.flush()
    code = process.wait(60)
    assert not process.stdin.closed
    return code, json.loads(process.stdout.read())


@pytest.mark.parametrize(
    "pieces",
    [
        (b'{"query": "tidal turbine"}\n',),
        (b'{"query": "tidal turbine"}\r\n',),
        (b'{\n  "query":', b' "tidal tur', b'bine"\n}', b"  \n"),
        (b'\xef\xbb\xbf\n{"query": "a } and a \\', b'" in it"}\n'),
    ],
)
def test_an_executable_answers_while_stdin_is_open(pieces: tuple[bytes, ...]) -> None:
    reply = as_json(recorded("brave/ok_200"))
    with Site(reply) as site, started(BRAVE, site.environ) as process:
        code, answer = answer_of(process, *pieces)

    assert code == 0
    assert len(answer["results"]) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b'{"query": "a b"} {}\n', "Extra data"),
        (b'["a b"]\n', "The input is a list"),
        (b"not json\n", "The input is not JSON"),
        (b'{"query": "a\n', "The input is not JSON"),
        (b"{]\n", "The input is not JSON"),
    ],
)
def test_invalid_input_is_reported_while_stdin_is_open(given: bytes, words: str) -> None:
    with started(BRAVE, {}) as process:
        code, answer = answer_of(process, given)

    assert code == 1
    assert words in str(answer["error"])


def test_an_object_without_a_newline_is_answered_at_the_end_of_stdin() -> None:
    with started(FETCH, {}) as process:
        stdout, _ = process.communicate(b'{"url": "x"}', timeout=60)

    assert list(json.loads(stdout)) == ["error"]


def test_a_stdin_that_does_not_wait_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(writing, "wb") as host, os.fdopen(reading, "rb") as stdin:
        process = subprocess.Popen(
            [script_path(BRAVE)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment({"WEBQUARRY_LOG_LEVEL": "error"}),
        )
        with process:
            host.write(b'{"query": "x"')
            host.flush()
            host.write(b"}\n")
            host.flush()
            assert process.wait(60) == 1
            assert process.stdout is not None
            assert b"at least 2 characters" in process.stdout.read()


JSON_OBJECTS = st.dictionaries(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@given(JSON_OBJECTS, st.sampled_from([None, 0, 2]), st.booleans())
def test_fuzz_reading_stops_at_the_line_on_which_the_object_ends(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    whole = text.encode("utf-8", "replace") + b"\n"

    assert read_whole_value(io.BytesIO(whole + b"{}\n"), 10_000) == whole


def test_no_more_is_read_than_allowed() -> None:
    endless = io.BytesIO(b'{"query": "' + b"x" * (2 * MAX_BYTES))

    assert len(read_whole_value(endless, MAX_BYTES + 1)) == MAX_BYTES + 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["web-fetch", "fetch"])
def test_link_to_an_executable_runs_its_tool(tmp_path: Path, name: str) -> None:
    link = tmp_path / name
    link.symlink_to(script_path(FETCH))
    schema = subprocess.run([link, "--schema"], capture_output=True, check=True).stdout

    assert json.loads(schema)["name"] == "web_fetch"
    version = subprocess.run([link, "--version"], capture_output=True, check=True).stdout
    assert version.decode().startswith(f"{name} ")


def test_copy_without_the_suffix_runs_its_tool(tmp_path: Path) -> None:
    second = tmp_path / "web-search-brave"
    second.write_bytes(Path(script_path(BRAVE)).read_bytes())
    second.chmod(0o755)
    schema = subprocess.run([second, "--schema"], capture_output=True, check=True).stdout

    assert json.loads(schema)["name"] == "web_search_brave"
