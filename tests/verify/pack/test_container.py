"""The ZIP file of a pack: read by others as any ZIP file, and by us only as we wrote it."""

from __future__ import annotations

import io
import zipfile

import pytest

from webquarry.verify.pack.container import read_container, write_container
from webquarry.verify.pack.problem import DamagedPack

MEMBERS = {"archive/data.warc.gz": b"\x1f\x8b" + b"x" * 100, "evidence.json": b"{}\n", "empty": b""}


def test_other_programs_read_it() -> None:
    with zipfile.ZipFile(io.BytesIO(write_container(MEMBERS))) as file:
        assert file.testzip() is None
        assert {name: file.read(name) for name in file.namelist()} == MEMBERS


def test_what_was_written_is_read_back() -> None:
    assert read_container(write_container(MEMBERS)) == MEMBERS


def test_a_change_of_any_byte_of_the_container_is_noticed() -> None:
    data = write_container(MEMBERS)
    unnoticed = []
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 0x20
        try:
            same = read_container(bytes(changed)) == MEMBERS
        except DamagedPack:
            continue
        if same:
            unnoticed.append(place)

    assert unnoticed == []


@pytest.mark.parametrize("cut", [1, 10, 100, 300])
def test_what_is_missing_or_added_at_the_end_is_noticed(cut: int) -> None:
    data = write_container(MEMBERS)

    with pytest.raises(DamagedPack):
        read_container(data[:-cut])
    with pytest.raises(DamagedPack):
        read_container(data + b"\0" * cut)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a//b", "a/../b", "C:evil", "a\\b", ""])
def test_a_name_that_leads_out_of_the_pack_is_refused(name: str) -> None:
    with pytest.raises(DamagedPack, match="name that ours never have"):
        read_container(write_container({name: b"x"}))


def test_compressed_members_and_doubles_are_refused() -> None:
    compressed = io.BytesIO()
    with zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bomb", b"\0" * 10_000_000)
    single = write_container({"a": b"1"})
    local = single[: single.index(b"PK\x01\x02")]

    with pytest.raises(DamagedPack, match="compressed"):
        read_container(compressed.getvalue())
    with pytest.raises(DamagedPack, match="two members"):
        read_container(local + local)
    with pytest.raises(DamagedPack, match="more than 100"):
        read_container(write_container({f"a{number}": b"" for number in range(101)}))


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"PK\x03\x04", b"%PDF-1.7", b"PK\x05\x06" + b"\0" * 18]
)
def test_what_is_no_pack_is_told(data: bytes) -> None:
    with pytest.raises(DamagedPack):
        read_container(data)
