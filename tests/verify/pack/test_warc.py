"""The records of a pack: other programs read them, damage and bombs are noticed."""

from __future__ import annotations

import gzip
import io

import pytest
from warcio.archiveiterator import ArchiveIterator

from webquarry.verify.pack import warc
from webquarry.verify.pack.captures import drop_credentials
from webquarry.verify.pack.index import sort_url
from webquarry.verify.pack.problem import DamagedPack
from webquarry.verify.pack.warc import WarcRecord, compress, read_records

MESSAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Otters \xc3\xa9at fish.</p>"
RESPONSE = WarcRecord(
    "response",
    "2026-09-14T06:00:00Z",
    "application/http; msgtype=response",
    MESSAGE,
    "https://example.org/",
    MESSAGE.partition(b"\r\n\r\n")[2],
)
TEXT = WarcRecord(
    "conversion",
    "2026-09-14T06:00:00Z",
    "text/plain; charset=utf-8",
    "Otters éat fish.".encode(),
    "https://example.org/",
    more={"WARC-Refers-To": RESPONSE.id},
)


def test_warcio_reads_the_records_and_finds_their_digests_right() -> None:
    data = compress(RESPONSE.write()) + compress(TEXT.write())
    seen = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        seen.append((record.rec_type, record.content_stream().read()))
        assert record.digest_checker.passed
        assert record.rec_headers.protocol == "WARC/1.1"

    assert seen == [
        ("response", "<p>Otters éat fish.</p>".encode()),
        ("conversion", "Otters éat fish.".encode()),
    ]


def test_records_are_read_back_and_their_ids_follow_from_them() -> None:
    data = compress(RESPONSE.write()) + compress(TEXT.write())
    first, second = read_records(data)

    assert (first.id, first.payload) == (RESPONSE.id, RESPONSE.payload)
    assert second.headers["warc-refers-to"] == RESPONSE.id
    assert (second.offset, second.offset + second.length) == (first.length, len(data))
    assert RESPONSE.id != TEXT.id


def test_a_record_with_a_wrong_digest_or_length_is_damaged() -> None:
    written = RESPONSE.write()

    for changed in (
        written.replace(b"fish", b"fisk"),
        written.replace(b"Content-Length: 6", b"Content-Length: 9"),
        written.replace(b"WARC/1.1", b"WARC/1.0"),
        written.replace(b"WARC-Type: ", b"WARC-Type "),
        written[:-2],
    ):
        assert changed != written
        with pytest.raises(DamagedPack):
            list(read_records(compress(changed)))


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "LARGEST_RECORD", 1_000_000)
    bomb = gzip.compress(b"\0" * 5_000_000)

    with pytest.raises(DamagedPack, match="unpacks to more"):
        list(read_records(bomb))
    with pytest.raises(DamagedPack, match="unpacks to more"):
        list(warc.decompress_members(compress(b"x" * 600_000) * 2, most=1_000_000))
    with pytest.raises(DamagedPack, match="cut short"):
        list(read_records(compress(b"x" * 1000)[:-3]))
    with pytest.raises(DamagedPack, match="damaged"):
        list(read_records(b"\x1f\x8b\x08" + b"\xff" * 40))


def test_the_same_data_is_compressed_to_the_same_bytes_that_gzip_reads() -> None:
    assert compress(b"tide " * 100) == compress(b"tide " * 100)
    assert gzip.decompress(compress(b"tide " * 100)) == b"tide " * 100


def test_credentials_and_cookies_are_not_in_a_message() -> None:
    message = (
        b"GET / HTTP/1.1\r\nHost: a.org\r\nauthorization: Bearer x\r\nCookie: a=b\r\n"
        b"X-API-Key: y\r\nAccept: */*\r\n\r\nCookie: in the body"
    )

    assert drop_credentials(message) == (
        b"GET / HTTP/1.1\r\nHost: a.org\r\nAccept: */*\r\n\r\nCookie: in the body"
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.org/A?b=C", "org,example)/a?b=c"),
        ("http://sub.example.org:8080", "org,example,sub:8080)/"),
    ],
)
def test_addresses_sort_by_site(url: str, expected: str) -> None:
    assert sort_url(url) == expected
