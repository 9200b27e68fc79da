"""Evidence packs: others can read them, the same session gives the same bytes, any change is
noticed, and no secret is inside.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.verify.pack.packs import (
    BODY,
    SOFTWARE,
    TEXT,
    WORDS,
    A,
    C,
    Page,
    check_pack,
    make_pack,
)
from webquarry.secret import Secret
from webquarry.verify.wacz import (
    DamagedPack,
    read_wacz,
    read_zip,
    write_json,
    write_members,
    write_wacz,
    write_zip,
)

EVERY = 1  # the step in which bytes are flipped


@pytest.fixture(scope="module")
def pack() -> bytes:
    return make_pack()


def read_evidence(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        evidence: dict[str, Any] = json.loads(file.read("evidence.json"))
        return evidence


def rewrite(data: bytes, change: Any) -> bytes:
    """A pack whose evidence somebody has changed, with all hashes made anew."""
    contents = read_wacz(data)
    change(contents.evidence)
    members = read_zip(data)
    members["evidence.json"] = write_json(contents.evidence)
    return rehash(members)


def rehash(members: dict[str, bytes]) -> bytes:
    package = json.loads(members.pop("datapackage.json"))
    del members["datapackage-digest.json"], package["resources"]
    return write_members(members, package)


def test_intact_pack_passes_with_the_tiers_of_its_quotes(pack: bytes) -> None:
    report = check_pack(pack, SOFTWARE)

    assert report.problems == []
    assert report.is_intact
    assert (report.sources, report.texts) == (3, 1)
    assert dict(report.quotes) == {"exact": 1, "near": 1, "absent": 1, "unchecked": 1}
    assert any(C in note and "not in the pack" in note for note in report.notes)


def test_a_change_of_a_byte_is_noticed_wherever_it_is(pack: bytes) -> None:
    """Every few bytes of the whole file: heads of the ZIP file, CRCs, every member."""
    unnoticed = []
    for place in range(0, len(pack), EVERY):
        changed = bytearray(pack)
        changed[place] ^= 1 << (place % 8)
        try:
            check_pack(bytes(changed), SOFTWARE)
            unnoticed.append(place)
        except DamagedPack:
            continue

    assert unnoticed == []


def test_a_member_that_is_missing_added_or_moved_is_noticed(pack: bytes) -> None:
    members = read_zip(pack)
    without = {name: data for name, data in members.items() if name != "pages/pages.jsonl"}
    turned = dict(reversed(members.items()))

    for changed in (without, {**members, "more": b"x"}, turned):
        with pytest.raises(DamagedPack):
            check_pack(write_zip(changed), SOFTWARE)


def test_the_same_session_gives_the_same_bytes(pack: bytes) -> None:
    assert make_pack() == pack


def test_the_parts_are_those_of_wacz(pack: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(pack)) as file:
        names = file.namelist()
        package = json.loads(file.read("datapackage.json"))
        pages = [json.loads(line) for line in file.read("pages/pages.jsonl").splitlines()]
        cdx = gzip.decompress(file.read("indexes/index.cdx.gz")).decode().splitlines()
        idx = file.read("indexes/index.idx").decode().splitlines()
        archive = file.read("archive/data.warc.gz")

    assert {"archive/data.warc.gz", "datapackage-digest.json", "evidence.json"} <= set(names)
    assert (package["profile"], package["wacz_version"]) == ("data-package", "1.1.1")
    assert {resource["path"] for resource in package["resources"]} == {
        name for name in names if not name.startswith("datapackage")
    }
    assert pages[0] == {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    assert pages[1] == {
        "id": "1",
        "url": A,
        "ts": "2026-09-14T06:00:00Z",
        "title": "Storing the tide",
    }
    key, moment, facts = cdx[0].split(" ", 2)
    place = json.loads(facts)
    assert (key, moment, place["status"], place["mime"]) == (
        "org,a)/tides",
        "20260914060000",
        "200",
        "text/html",
    )
    start, length = int(place["offset"]), int(place["length"])
    assert BODY in gzip.decompress(archive[start : start + length])
    assert idx[1].startswith("org,a)/tides 20260914060000 {")


def test_warcio_reads_its_archive_and_finds_the_digests_right(pack: bytes) -> None:
    archive = read_zip(pack)["archive/data.warc.gz"]
    kinds = []
    for record in ArchiveIterator(io.BytesIO(archive), check_digests="raise"):
        body = record.content_stream().read()
        kinds.append(record.rec_type)
        if record.rec_type == "response":
            assert body == BODY
        if record.rec_type == "conversion":
            assert body == TEXT.encode()

    assert kinds == ["warcinfo", "response", "request", "conversion"]


def test_evidence_has_the_earlier_and_the_present_findings(pack: bytes) -> None:
    evidence = read_evidence(pack)
    first, near, absent, unchecked = evidence["quotes"]
    start, end = first["inPack"]["spans"][0]

    assert first["source"] == 1
    assert first["sameText"] is True
    assert first["whenChecked"]["tier"] == "exact"
    assert TEXT[start:end] == "its gates are not closed before the ebb"
    assert [change["kind"] for change in near["inPack"]["changes"]] == ["negation"]
    assert (absent["inPack"]["tier"], unchecked["inPack"]["tier"]) == ("absent", "unchecked")
    assert [source["stage"] for source in evidence["sources"]] == ["quoted", "found", "quoted"]
    assert evidence["sources"][2]["problem"]["kind"] == "not_found"
    assert "does not show that a site said so" in evidence["statement"]


def test_quote_cannot_be_moved_with_recomputed_hashes(pack: bytes) -> None:
    def move(evidence: dict[str, Any]) -> None:
        evidence["quotes"][0]["inPack"]["spans"] = [[0, 10]]

    def put_in(evidence: dict[str, Any]) -> None:
        evidence["quotes"][2]["inPack"] = {
            "tier": "exact",
            "url": A,
            "spans": [[0, 7]],
            "matched": ["Storing"],
        }

    def other_hash(evidence: dict[str, Any]) -> None:
        evidence["sources"][0]["textHash"] = "0" * 64

    for change in (move, put_in, other_hash):
        report = check_pack(rewrite(pack, change), SOFTWARE)
        assert not report.is_intact


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"format": "webquarry-evidence-1"},
        {"format": "webquarry-evidence-2"},
        {"format": "webquarry-evidence-1", "session": [], "sources": {}, "quotes": 1},
    ],
)
def test_evidence_of_another_form_is_refused(pack: bytes, evidence: dict[str, Any]) -> None:
    members = read_zip(pack)
    members["evidence.json"] = write_json(evidence)

    with pytest.raises(DamagedPack):
        check_pack(rehash(members), SOFTWARE)


def test_hashes_and_spans_alone_hold_no_word_of_a_page() -> None:
    data = make_pack("hashes")
    report = check_pack(data, SOFTWARE)
    evidence = read_evidence(data)

    assert report.is_intact
    assert any("hashes and spans alone" in note for note in report.notes)
    assert b"slow battery" not in data
    assert gzip.decompress(read_zip(data)["archive/data.warc.gz"] or gzip.compress(b"")) == b""
    assert evidence["sources"][0]["textHash"] == WORDS.digest
    assert evidence["quotes"][0]["inPack"]["spans"]


def test_no_secret_is_in_a_pack() -> None:
    key = Secret("canary-1f2e3d4c5b6a").reveal()
    page = Page(words=replace(WORDS, text=f"{TEXT} {key}"), title=f"Title {key}")
    data = make_pack(page=page)
    members = read_zip(data)
    archive = b"".join(
        record.raw_stream.read()
        for record in ArchiveIterator(
            io.BytesIO(members["archive/data.warc.gz"]), no_record_parse=True
        )
    )

    for part in (data, archive):
        assert key.encode() not in part
    assert check_pack(data, SOFTWARE).is_intact


def test_another_release_may_judge_a_quote_in_another_way(pack: bytes) -> None:
    def judge(evidence: dict[str, Any]) -> None:
        evidence["quotes"][0]["inPack"]["tier"] = "letters"

    changed = rewrite(pack, judge)

    assert not check_pack(changed, SOFTWARE).is_intact
    other = check_pack(changed, "webquarry 9.9")
    assert other.is_intact
    assert any("another release made the pack" in note for note in other.notes)


def test_a_pack_without_any_page_is_a_pack() -> None:
    data = write_wacz([], [], {"format": "x"}, {})

    assert read_wacz(data).records == {}
