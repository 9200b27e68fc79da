"""Documents with random damage are read or refused, and the worker survives."""

from __future__ import annotations

import io
import os
import random
import zipfile

import pytest

from tests.read.formats import FOLDER
from tests.read.formats.office_writer import zipped
from tests.read.workers.sync_pool import SyncPool
from webquarry._read.workers.job import WorkerLimits
from webquarry.errors import TooComplex, Unreadable

EXAMPLES = int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "400"))
LIMITS = WorkerLimits(cpu_seconds=5)
SAMPLES = ["paper.pdf", "report.pdf", "hidden.pdf", "letter.docx", "deck.pptx"]
PIECES = [
    b"<",
    b">",
    b"/",
    b"&",
    b"\x00",
    b"\xff",
    b"0",
    b"-1",
    b"99999999999",
    b" 0 R",
    b"<<",
    b"]",
    b"<w:p>",
    b"</w:p>",
    b'"',
]


def damaged(body: bytes, chance: random.Random) -> bytes:
    """The bytes with a few changes: flipped, cut out, repeated, moved, put in."""
    data = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(data) or 1)
        length = chance.choice((1, 1, 2, 8, 64, 512))
        match chance.randrange(6):
            case 0:
                data[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length]
            case 3:
                other = chance.randrange(len(data) or 1)
                data[place : place + length] = data[other : other + length]
            case 4:
                data[place:place] = chance.choice(PIECES)
            case _ if chance.random() < 0.1:
                del data[place:]
    return bytes(data)


def damaged_inside(body: bytes, chance: random.Random) -> bytes:
    """An Office file with damage to the XML of some parts, packed soundly."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    for name in chance.sample(sorted(parts), chance.randint(1, 3)):
        data = parts[name]
        assert isinstance(data, bytes)
        parts[name] = (
            shuffled_tags(data, chance) if chance.random() < 0.7 else damaged(data, chance)
        )
    return zipped(parts)


def shuffled_tags(data: bytes, chance: random.Random) -> bytes:
    """XML that is still well-formed: attributes with other values, empty elements put in, taken
    out, put elsewhere.
    """
    pieces = data.split(b"/>")
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(pieces))
        piece = pieces[place]
        start = piece.rfind(b"<")
        if start < 0 or place == len(pieces) - 1:
            continue
        match chance.randrange(3):
            case 0:
                values = piece[start:].split(b'"')
                if len(values) > 2:
                    values[1] = chance.choice(
                        [b"", b"-1", b"999999999999", b"x", b"%9%9", b"\xc3\xa9", b"0", b"FFFF"]
                    )
                    pieces[place] = piece[:start] + b'"'.join(values)
            case 1:
                pieces[place] = piece + b"/>" + piece[start:]
            case _:
                pieces[place] = piece[:start] + b"<w:none"
    return b"/>".join(pieces)


@pytest.mark.parametrize("name", SAMPLES)
def test_fuzz_damaged_documents_are_read_or_refused(name: str) -> None:
    kind, body = name.rpartition(".")[2], (FOLDER / name).read_bytes()
    unforeseen: list[tuple[int, list[str]]] = []
    pids: set[int] = set()
    with SyncPool(LIMITS) as pool:
        for seed in range(EXAMPLES // len(SAMPLES)):
            chance = random.Random(f"{name} {seed}")
            whole = kind == "pdf" or chance.random() < 0.2
            example = damaged(body, chance) if whole else damaged_inside(body, chance)
            try:
                pool.read(kind, "https://site.example/x", example)
            except TooComplex:
                continue
            except Unreadable as error:
                notes = getattr(error, "__notes__", [])
                if notes:
                    unforeseen.append((seed, notes))
            pids.update(pool.pids)

    assert unforeseen == []
    assert len(pids) <= 2 + EXAMPLES // 100
