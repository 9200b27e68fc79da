"""Named members in, the bytes of a ZIP file out, and back.

There is one way to write a ZIP file here: members in their order, stored as they are, with a fixed
date and no remarks. Reading takes nothing else, so that every byte of the file is a byte of a
member or follows from the members: one that was changed is noticed, wherever it is. Other programs
read such files as they read any ZIP file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from zlib import crc32

from webquarry.verify.pack.problem import DamagedPack

LARGEST = 1 << 30  # bytes; a larger file would have to be written in another form
_MOST_MEMBERS = 100
_NAME = re.compile(r"(?:[a-z0-9][a-z0-9_.-]{0,99}/){0,3}[a-z0-9][a-z0-9_.-]{0,99}")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION = 20
_MADE_BY = 3 << 8 | _VERSION  # Unix
_DATE = 0x21  # the first day of 1980, which is the earliest there is
_MODE = 0o100644 << 16


def write_container(members: Mapping[str, bytes]) -> bytes:
    """The ZIP file of these members."""
    pieces: list[bytes] = []
    central: list[bytes] = []
    place = 0
    for name, data in members.items():
        path = name.encode("ascii")
        crc = crc32(data)
        size = len(data)
        local = _LOCAL.pack(_LOCAL_MARK, _VERSION, 0, 0, 0, _DATE, crc, size, size, len(path), 0)
        entry = _CENTRAL.pack(
            _CENTRAL_MARK, _MADE_BY, _VERSION, 0, 0, 0, _DATE, crc, size, size, len(path),
            0, 0, 0, 0, _MODE, place,
        )  # fmt: skip
        pieces += [local, path, data]
        central += [entry, path]
        place += len(local) + len(path) + size
    listed = b"".join(central)
    count = len(members)
    end = _END.pack(_END_MARK, 0, 0, count, count, len(listed), place, 0)
    return b"".join([*pieces, listed, end])


def read_container(data: bytes) -> dict[str, bytes]:
    """The members of a ZIP file that was written here; `DamagedPack` where it is any other, or
    was changed since.
    """
    members: dict[str, bytes] = {}
    place = 0
    while data[place : place + 4] == _LOCAL_MARK:
        if len(members) == _MOST_MEMBERS:
            raise DamagedPack(f"The pack has more than {_MOST_MEMBERS} members.")
        name, content, place = _read_member(data, place)
        if name in members:
            raise DamagedPack(f"The pack has two members named {name}.")
        members[name] = content
    if not members:
        raise DamagedPack("The file is no evidence pack: it does not begin as a ZIP file does.")
    if write_container(members) != data:
        raise DamagedPack(
            "The ZIP file around the evidence was changed, or written by another program."
        )
    return members


def _read_member(data: bytes, place: int) -> tuple[str, bytes, int]:
    """The name of a member, its bytes, and where the next one begins. Every field that is not used
    here is compared when the whole is written again.
    """
    head = data[place : place + _LOCAL.size]
    if len(head) < _LOCAL.size:
        raise DamagedPack("The pack is cut short.")
    _, _, _, method, _, _, _, size, _, name_length, _ = _LOCAL.unpack(head)
    if method:
        raise DamagedPack("A member of the pack is compressed, which ours never are.")
    start = place + _LOCAL.size
    name = data[start : start + name_length].decode("ascii", "replace")
    if not _NAME.fullmatch(name):
        raise DamagedPack("A member of the pack has a name that ours never have.")
    end = start + name_length + size
    if end > len(data):
        raise DamagedPack("The pack is cut short.")
    return name, data[start + name_length : end], end
