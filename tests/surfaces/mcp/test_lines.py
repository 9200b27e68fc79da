"""Lines of stdin: what is a message, and the answer to what is none."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from webquarry.surfaces.mcp.wire.descriptors import LineReader
from webquarry.surfaces.mcp.wire.lines import (
    BATCH_REVISION,
    HANDSHAKE_REVISIONS,
    MOST_LEVELS,
    BatchAnswers,
    find_problem,
    find_revision,
    parse_line,
)
from webquarry.surfaces.mcp.wire.standard_streams import LineWriter, take_lines
from webquarry.surfaces.mcp.wire.transport import _type_message

PING = '{"jsonrpc": "2.0", "id": %s, "method": "ping", "params": {"x": %s}}'


def refusal_of(text: str | bytes, revision: str | None = None) -> tuple[int, Any]:
    """The code and the id of the one answer to a line that holds no message."""
    line = parse_line(text if isinstance(text, bytes) else text.encode(), revision)
    assert not line.messages
    (refusal,) = line.refusals
    assert refusal["jsonrpc"] == "2.0"
    assert refusal["error"]["message"].endswith(".")
    return refusal["error"]["code"], refusal["id"]


def levels(number: int) -> str:
    """A message that is so many levels deep: two of them are its own."""
    return PING % (1, "[" * (number - 2) + "]" * (number - 2))


# --- what cannot be read


@pytest.mark.parametrize(
    "line",
    ["garbage", "{", '"', "\x00", "é\ud7ff", "{]", "nul", "[1,", "NaN", "1 2", b"\xff\xfe\x00"],
)
def test_a_line_that_is_not_json_is_a_parse_error(line: str | bytes) -> None:
    assert refusal_of(line) == (-32700, None)


@pytest.mark.parametrize(
    "line",
    [
        "null",
        "5",
        '"text"',
        "{}",
        '{"jsonrpc": "2.0"}',
        '{"jsonrpc": "1.0", "method": "ping"}',
        '{"jsonrpc": "2.0", "method": 1}',
        '{"jsonrpc": "2.0", "method": "ping", "params": [1]}',
        '{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
        '{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}',
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_json_that_is_no_message_is_an_invalid_request(line: str) -> None:
    assert refusal_of(line) == (-32600, None)


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (levels(300), -32600, 1),
        (levels(MOST_LEVELS + 1), -32600, 1),
        (levels(50_000), -32600, 1),
        (PING % ('"a\\"b"', "9" * 5_000), -32600, 'a"b'),
        (PING % (-4, "-" + "9" * 5_000), -32600, -4),
        (PING % (5, "NaN"), -32700, 5),
        (PING % (6, "tru"), -32700, 6),
        ('{"jsonrpc": "2.0", "method": "ping", "params": {"id": 1}, "id": 7', -32700, 7),
        ('{"jsonrpc": "2.0", "id": 8, "method": "pi', -32700, 8),
        ('{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": "x"}', -32600, 9),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, 1.5),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32600, "\ud800"),
        ('{"id": 10, "method": "ping"}', -32600, 10),
        # Neither is an id that a client could find again.
        (PING % ("9" * 5_000, 1), -32600, None),
        ('{"jsonrpc": "2.0", "method": "ping", "params": {"id": 1}', -32700, None),
    ],
)
def test_the_id_of_a_bad_request_is_told_wherever_it_can_be_read(
    line: str, code: int, id: Any
) -> None:
    assert refusal_of(line) == (code, id)


@pytest.mark.parametrize(
    "line", ['{"jsonrpc": "2.0", "id": 1, "result": 5}', '{"id": 1, "error": {"code": 1, "mess']
)
def test_the_answer_to_a_bad_answer_has_no_id_of_a_request(line: str) -> None:
    _, id = refusal_of(line)

    assert id is None


def test_a_long_text_without_end_is_looked_through_once() -> None:
    assert refusal_of('{"id": 3, "x": "' + '\\"' * 300_000) == (-32700, 3)


# --- what can be read


@pytest.mark.parametrize("line", ["", " \t\r", "\ufeff"])
def test_a_blank_line_is_nothing(line: str) -> None:
    assert parse_line(line.encode(), None) == parse_line(b"", None)
    assert not parse_line(line.encode(), None).refusals


def test_half_a_surrogate_pair_is_read_as_the_replacement_character_anywhere() -> None:
    text = '{"\\ud800": ["\\udc00 a", {"b": "\\ud83d\\ude00\\ud83d"}]}'
    (message,) = parse_line((PING % (1, text)).encode(), None).messages

    assert message["params"] == {"x": {"\ufffd": ["\ufffd a", {"b": "😀\ufffd"}]}}


def test_bytes_that_are_not_utf_8_and_a_mark_of_byte_order_do_no_harm() -> None:
    line = b"\xef\xbb\xbf" + (PING % (1, '"ab"')).encode().replace(b"ab", b"a\xffb") + b"\r"
    (message,) = parse_line(line, None).messages

    assert message["params"] == {"x": "a\ufffdb"}


def test_what_is_as_deep_as_allowed_and_what_is_wide_is_read() -> None:
    assert parse_line(levels(MOST_LEVELS).encode(), None).messages
    assert parse_line((PING % (1, json.dumps([{}] * 10_000))).encode(), None).messages


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text() | JSON,
        "method": st.just("ping") | JSON,
        "params": st.dictionaries(st.text(), JSON) | JSON,
        "result": st.dictionaries(st.text(), JSON) | JSON,
        "error": st.fixed_dictionaries({"code": JSON, "message": JSON}) | JSON,
    },
)


@given(MEMBERS | JSON)
def test_whatever_passes_is_a_message_to_the_sdk_too(value: Any) -> None:
    if find_problem(value) is None:
        assert isinstance(_type_message(value), types.JSONRPCMessage)


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_every_line_but_a_blank_one_is_answered_or_handed_on(data: bytes) -> None:
    line = parse_line(data, BATCH_REVISION)
    is_blank = not data.decode("utf-8", "replace").strip(" \t\r\n\ufeff")

    assert bool(line.messages or line.refusals) is not is_blank


# --- batches


def test_a_batch_is_split_in_its_revision_and_what_is_no_message_refused_with_its_place() -> None:
    items = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        1,
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 3, "method": 4},
    ]
    line = parse_line(json.dumps(items).encode(), "2025-03-26")
    batch = BatchAnswers(line)

    assert line.is_batch
    assert line.messages == tuple(items[:2])
    assert [refusal["id"] for refusal in line.refusals] == [None, 2, 3]
    assert not batch.is_complete
    batch.settle('{"id":1}')
    assert batch.is_complete
    assert [answer["id"] for answer in json.loads(batch.render() or "")] == [None, 2, 3, 1]


def test_a_batch_that_waits_for_nothing_is_not_answered() -> None:
    line = parse_line(b'[{"jsonrpc": "2.0", "method": "notifications/x"}]', "2025-03-26")
    batch = BatchAnswers(line)

    assert batch.is_complete
    assert batch.render() is None


@pytest.mark.parametrize("revision", [None, "2024-11-05", "2025-06-18", "2025-11-25"])
def test_other_revisions_refuse_a_batch_as_a_whole(revision: str | None) -> None:
    assert refusal_of(f"[{PING % (1, 1)}, {PING % (2, 1)}]", revision) == (-32600, None)
    assert refusal_of("[]", revision) == (-32600, None)


def test_an_empty_batch_is_no_batch() -> None:
    assert refusal_of("[]", BATCH_REVISION) == (-32600, None)


def test_the_revision_is_the_one_that_the_sdk_agrees_on() -> None:
    def wanted(version: Any) -> str | None:
        params = {"protocolVersion": version}
        return find_revision({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})

    assert HANDSHAKE_REVISIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert [wanted(version) for version in HANDSHAKE_REVISIONS] == list(HANDSHAKE_REVISIONS)
    assert wanted("1999-01-01") == wanted([]) == HANDSHAKE_REVISIONS[-1]
    assert find_revision({"jsonrpc": "2.0", "id": 1, "method": "ping"}) is None


# --- descriptors, and what is imported


def test_lines_come_whole_whatever_the_pieces_are_and_the_last_one_without_its_end() -> None:
    async def run() -> list[bytes]:
        reading, writing = os.pipe()
        writer = asyncio.to_thread(_write_pieces, writing)
        lines, _ = await asyncio.gather(_collect(reading), writer)
        os.close(reading)
        return lines

    assert asyncio.run(run()) == [b"one", b"", b"x" * 200_000, b"end"]


def _write_pieces(descriptor: int) -> None:
    for piece in (b"on", b"e\n\n", b"x" * 200_000, b"\nen", b"d"):
        os.write(descriptor, piece)
    os.close(descriptor)


async def _collect(descriptor: int) -> list[bytes]:
    return [line async for line in take_lines(LineReader(descriptor))]


def test_a_pipe_that_does_not_wait_is_waited_for_and_one_that_nobody_reads_is_an_error() -> None:
    async def run() -> list[bytes]:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        writer = LineWriter(writing)
        collecting = asyncio.create_task(_collect(reading))
        await writer.write("y" * 1_000_000)
        other_reading, other_writing = os.pipe()
        os.close(other_reading)
        with pytest.raises(BrokenPipeError):
            await LineWriter(other_writing).write("x")
        os.close(writing)
        lines = await collecting
        for descriptor in (reading, other_writing):
            os.close(descriptor)
        return lines

    assert asyncio.run(run()) == [b"y" * 1_000_000, b""]


def test_lines_and_streams_are_there_without_the_sdk_and_pydantic() -> None:
    code = (
        "import sys, webquarry.surfaces.mcp.wire.lines, webquarry.surfaces.mcp.wire.standard_streams;"
        "print([name for name in ('mcp', 'mcp_types', 'pydantic', 'anyio', 'httpx')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_lines_that_were_read_before_the_loop_began_are_not_waited_for() -> None:
    async def run() -> list[bytes]:
        reading, writing = os.pipe()
        incoming = LineReader(reading)
        os.write(writing, b"one\ntwo\nthr")
        first = next(iter(incoming))
        lines = [first]
        async for line in take_lines(incoming):
            lines.append(line)
            if line == b"two":  # nothing more can be read before this is said
                os.write(writing, b"ee\n")
                os.close(writing)
        os.close(reading)
        return lines

    assert asyncio.run(run()) == [b"one", b"two", b"three", b""]


async def _collect_while(take_at_once: Callable[[bytes], bool], written: bytes) -> list[bytes]:
    """The lines that come to whoever was waiting when they were written."""
    reading, writing = os.pipe()
    lines: list[bytes] = []

    async def collect() -> None:
        async for line in take_lines(LineReader(reading), take_at_once):
            lines.append(line)

    collecting = asyncio.create_task(collect())
    await asyncio.sleep(0)  # it waits
    os.write(writing, written)
    os.close(writing)
    try:
        await collecting
    finally:
        os.close(reading)
    return lines


def test_lines_are_taken_at_once_until_one_has_to_wait_for_its_turn() -> None:
    shown: list[bytes] = []

    def take_calls(line: bytes) -> bool:
        shown.append(line)
        return line.startswith(b"call")

    lines = asyncio.run(_collect_while(take_calls, b"call 1\ncall 2\nother\ncall 3\n"))

    assert lines == [b"other", b"call 3", b""]  # none overtakes another
    assert shown == [b"call 1", b"call 2", b"other", b""]


def test_what_goes_wrong_while_a_line_is_taken_at_once_is_told_to_whoever_waits() -> None:
    def fail(line: bytes) -> bool:
        raise BrokenPipeError("the client has gone")

    with pytest.raises(BrokenPipeError, match="gone"):
        asyncio.run(_collect_while(fail, b"call\n"))


def test_a_file_which_no_loop_can_watch_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"one\n" * 200 + b"end")
    with file.open("rb") as opened:
        lines = asyncio.run(_collect(opened.fileno()))

    assert lines == [b"one"] * 200 + [b"end"]


def test_more_lines_than_anybody_takes_at_once_all_come() -> None:
    async def run() -> list[bytes]:
        reading, writing = os.pipe()
        os.write(writing, b"x\n" * 5000)
        os.close(writing)
        lines = []
        async for line in take_lines(LineReader(reading)):
            await asyncio.sleep(0)
            lines.append(line)
        os.close(reading)
        return lines

    assert asyncio.run(run()) == [b"x"] * 5000 + [b""]


def test_a_line_goes_into_an_empty_pipe_in_one_piece_and_into_a_full_one_as_it_is_read() -> None:
    async def run() -> list[int]:
        reading, writing = os.pipe()
        writer = LineWriter(writing)
        assert writer.begin_writing(b"x" * 20_000) is None
        sizes = [len(os.read(reading, 1 << 20))]
        assert writer.begin_writing(b"y" * 60_000) is None
        rest = writer.begin_writing(b"z" * 60_000)
        assert rest is not None
        collected = 0
        while collected < 120_002:
            collected += len(await asyncio.to_thread(os.read, reading, 1 << 20))
        await rest
        for descriptor in (reading, writing):
            os.close(descriptor)
        return [*sizes, collected]

    assert asyncio.run(run()) == [20_001, 120_002]
