"""The files of a pack: other programs read them, changes and bombs are refused."""

from __future__ import annotations

import gzip

import pytest

from tests.verify.pack.packs import make_pack
from webquarry.verify import wacz as archive
from webquarry.verify.wacz import (
    DamagedPack,
    WarcRecord,
    drop_credentials,
    read_records,
    read_zip,
    write_records,
)

MESSAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Otters \xc3\xa9at fish.</p>"
RESPONSE = WarcRecord(
    "response",
    "2026-09-14T06:00:00Z",
    "application/http; msgtype=response",
    MESSAGE,
    "https://example.org/",
)
TEXT = WarcRecord(
    "conversion",
    "2026-09-14T06:00:00Z",
    "text/plain; charset=utf-8",
    "Otters éat fish.".encode(),
    "https://example.org/",
    {"WARC-Refers-To": RESPONSE.id},
)


def test_records_are_read_as_they_were_written() -> None:
    data, places = write_records([RESPONSE, TEXT])

    assert read_records(data) == {RESPONSE.id: RESPONSE, TEXT.id: TEXT}
    assert places == [(0, places[0][1]), (places[0][1], len(data) - places[0][1])]
    assert read_records(data[: places[0][1]]) == {RESPONSE.id: RESPONSE}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"fish", b"fisk"),
        (b"Content-Length: 6", b"Content-Length: 5"),
        (b"2026-09-14T06", b"2026-09-14T07"),
        (b"WARC-Type: ", b"WARC-Type "),
        (b"WARC/1.1", b"HTTP/1.1"),
    ],
)
def test_changed_record_is_refused(before: bytes, after: bytes) -> None:
    written = gzip.decompress(write_records([RESPONSE])[0])
    assert before in written

    with pytest.raises(DamagedPack):
        read_records(gzip.compress(written.replace(before, after)))


def test_archive_that_is_too_large_or_not_gzip_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_MAX_UNPACKED_BYTES", 1_000_000)

    for data in (gzip.compress(b"\0" * 5_000_000), gzip.compress(b"x" * 600_000) * 2):
        with pytest.raises(DamagedPack, match="unpacks to more"):
            read_records(data)
    for data in (gzip.compress(b"x" * 1000)[:-3], b"\x1f\x8b\x08" + b"\xff" * 40, b"x"):
        with pytest.raises(DamagedPack, match="not valid gzip"):
            read_records(data)


def test_credentials_and_cookies_are_removed_from_a_message() -> None:
    message = (
        b"GET / HTTP/1.1\r\nHost: a.org\r\nauthorization: Bearer x\r\nCookie: a=b\r\n"
        b"X-API-Key: y\r\nAccept: */*\r\n\r\nCookie: in the body"
    )

    assert drop_credentials(message) == (
        b"GET / HTTP/1.1\r\nHost: a.org\r\nAccept: */*\r\n\r\nCookie: in the body"
    )


def test_bytes_missing_or_added_at_the_end_are_noticed() -> None:
    data = make_pack()

    for changed in (data[:-1], data[:-100], data + b"\0", data + b"\0" * 100, b"", b"PK"):
        with pytest.raises(DamagedPack):
            read_zip(changed)
