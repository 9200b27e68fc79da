"""Hostile documents are refused with bounded memory, and the next document is read."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

import pytest

from tests.read.formats import FOLDER
from tests.read.formats.office_writer import (
    NAMESPACES,
    docx_parts,
    paragraph,
    part,
    pptx,
    shape,
    slide,
    zipped,
)
from tests.read.formats.pdf_writer import Pdf, assemble, stream
from tests.read.workers.sync_pool import SyncPool
from webquarry._read.detect import pick_format
from webquarry._read.format import FetchedDocument
from webquarry._read.workers.job import WorkerLimits
from webquarry.errors import Unreadable

URL = "https://hostile.example/file"
UNSAFE = r"^https://hostile\.example/file could not be read safely: "
DAMAGED = r"^https://hostile\.example/file is damaged: "
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "


@pytest.fixture(scope="module")
def pool() -> Iterator[SyncPool]:
    with SyncPool(WorkerLimits(memory_bytes=1 << 29, cpu_seconds=5)) as pool:
        yield pool


def deflated(megabytes: int) -> bytes:
    """Return compressed blanks, as a repeated piece that was flushed completely."""
    packer = zlib.compressobj(9)
    head = packer.compress(b" ") + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * megabytes + packer.flush()


def with_content(data: bytes, entries: bytes) -> bytes:
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>",
        4: stream(data, entries),
    }
    return assemble(objects, b"/Root 1 0 R")


def forms(count: int, calls: bytes) -> bytes:
    """Forms of which each draws the next; the last one draws itself if there is only one."""
    pdf = Pdf(resources=b"/XObject << /X 100 0 R >>")
    pdf.add().raw("/X Do")
    for place in range(count):
        after = 100 if count == 1 else 101 + place
        pdf.objects.append(
            stream(calls, FORM + b"/Resources << /XObject << /X %d 0 R >> >>" % after)
        )
    pdf.objects.append(stream(b"0 0 5 5 re f", FORM))
    return pdf.data()


def tree(pages: bytes) -> bytes:
    return assemble(
        {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: pages, 3: b"<< /Type /Page /Parent 2 0 R >>"},
        b"/Root 1 0 R",
    )


PDFS: dict[str, tuple[Callable[[], bytes], str]] = {
    "flate bomb": (lambda: with_content(deflated(800), b"/Filter /FlateDecode"), UNSAFE),
    "double flate bomb": (
        lambda: with_content(
            zlib.compress(deflated(800), 9), b"/Filter [/FlateDecode /FlateDecode]"
        ),
        UNSAFE,
    ),
    "forms that double": (lambda: forms(40, b"/X Do /X Do"), UNSAFE),
    "a form that draws itself": (lambda: forms(1, b"/X Do"), "has no text that can be seen"),
    "a page tree in a circle": (
        lambda: tree(b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"),
        DAMAGED,
    ),
    "two thousand million pages": (
        lambda: tree(b"<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>"),
        "has no text",
    ),
    "nested arrays": (lambda: with_content(b"[" * 200_000, b""), "has no text that can be seen"),
    "cut in half": (lambda: (FOLDER / "paper.pdf").read_bytes()[:3700], DAMAGED),
    "random bytes": (lambda: b"%PDF-1.7\n" + random.Random(7).randbytes(20_000), DAMAGED),
    "noise with a false table": (
        lambda: b"%PDF-1.7\n" + bytes(range(256)) * 4000 + b"\nstartxref\n99999999\n%%EOF",
        DAMAGED,
    ),
    "nothing but a mark": (lambda: b"%PDF-1.7", DAMAGED),
}


@pytest.mark.parametrize("name", PDFS)
def test_hostile_pdf_is_refused_and_the_next_document_read(name: str, pool: SyncPool) -> None:
    make, message = PDFS[name]
    with pytest.raises(Unreadable, match=message) as caught:
        pool.read("pdf", URL, make())

    assert caught.value.kind == ("too_complex" if message == UNSAFE else "unsupported")
    assert (
        pool.read("pdf", URL, (FOLDER / "paper.pdf").read_bytes()).title
        == "What the tide leaves behind"
    )


def test_pdf_lines_without_common_columns_are_read_within_the_limits(pool: SyncPool) -> None:
    numbers = random.Random(1)
    pdf = Pdf()
    page = pdf.add()
    for line in range(300):
        left = 50.0
        for _ in range(3):
            page.text(left + 60 * numbers.random(), 800 - 2.6 * line, "ab", size=2.5)
            left += 100 + 80 * numbers.random()

    assert "ab" in pool.read("pdf", URL, pdf.data()).markdown


def test_pdf_after_leading_junk_is_read() -> None:
    source = FetchedDocument(URL, b"#" * 900 + b"\n" + (FOLDER / "paper.pdf").read_bytes())

    assert pick_format(source).to_markdown(source).title == "What the tide leaves behind"


def packed(parts: dict[str, str | bytes]) -> bytes:
    return zipped(parts, zipfile.ZIP_DEFLATED)


def with_document(document: str | bytes) -> dict[str, str | bytes]:
    return docx_parts("") | {"word/document.xml": document}


def inflating(megabytes: int) -> bytes:
    """A document with one part that was never held in memory as a whole."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("word/document.xml", "w") as target:
            target.write(f"<w:document {NAMESPACES}><w:body><w:p><w:r><w:t>".encode())
            for _ in range(megabytes):
                target.write(b"A" * (1 << 20))
        for name, data in docx_parts("").items():
            if name != "word/document.xml":
                archive.writestr(name, data)
    return buffer.getvalue()


def understated() -> bytes:
    """A zip whose directory says that a part is smaller than it is."""
    body = bytearray(packed(docx_parts(paragraph("word " * 5000))))
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = body.find(mark)
        while start >= 0:
            name_at = start + (46 if place == 24 else 30)
            if body[name_at:].startswith(b"word/document.xml"):
                struct.pack_into("<I", body, start + place, 2000)
            start = body.find(mark, start + 4)
    return bytes(body)


def entities(count: int) -> str:
    laughs = "".join(
        f'<!ENTITY l{place} "' + f"&l{place - 1};" * 10 + '">' for place in range(1, count)
    )
    return f'<!DOCTYPE w:document [<!ENTITY l0 "lol">{laughs}]>'


def nested_controls(depth: int) -> str:
    opening, closing = "<w:sdt><w:sdtContent>" * depth, "</w:sdtContent></w:sdt>" * depth
    return part("w:document", f"<w:body>{opening}{paragraph('deep')}{closing}</w:body>")


TEXT = part("w:document", f"<w:body>{paragraph('Text &l9;')}</w:body>")
XXE = '<!DOCTYPE w:document [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>'
DOCX: dict[str, tuple[Callable[[], bytes], str]] = {
    "a part of a hundred megabytes": (lambda: inflating(100), UNSAFE),
    "a million paragraphs": (
        lambda: packed(
            with_document(part("w:document", f"<w:body>{'<w:p/>' * 1_000_000}</w:body>"))
        ),
        UNSAFE,
    ),
    "external entity": (lambda: packed(with_document(XXE + TEXT.partition("?>\n")[2])), UNSAFE),
    "billion laughs": (
        lambda: packed(with_document(entities(10) + TEXT.partition("?>\n")[2])),
        UNSAFE,
    ),
    "entities in UTF-16": (
        lambda: packed(with_document((entities(10) + TEXT.partition("?>\n")[2]).encode("utf-16"))),
        UNSAFE,
    ),
    "entities in the styles": (
        lambda: packed(
            docx_parts(paragraph("x"), {"word/styles.xml": entities(3) + "<w:styles/>"})
        ),
        UNSAFE,
    ),
    "a thousand nested controls": (lambda: packed(with_document(nested_controls(1000))), DAMAGED),
    "a hundred thousand nested controls": (
        lambda: packed(with_document(nested_controls(100_000))),
        "damaged|safely",
    ),
    "twenty thousand members": (
        lambda: zipped(docx_parts(paragraph("x")) | {f"m/{place}": b"" for place in range(20_000)}),
        UNSAFE,
    ),
    "a size that is understated": (understated, DAMAGED),
    "cut in half": (lambda: (FOLDER / "letter.docx").read_bytes()[:6000], DAMAGED),
    "random bytes": (lambda: b"PK\x03\x04" + random.Random(7).randbytes(20_000), DAMAGED),
    "a member with a password": (lambda: encrypted(), "is protected by a password"),
    "no document in it": (lambda: packed(with_document("<nothing/>")), DAMAGED),
    "no XML in it": (lambda: packed(with_document("nothing at all")), DAMAGED),
}


def encrypted() -> bytes:
    body = bytearray(zipped(docx_parts(paragraph("x"))))
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        start = body.find(mark)
        while start >= 0:
            body[start + place] |= 1
            start = body.find(mark, start + 4)
    return bytes(body)


@pytest.mark.parametrize("name", DOCX)
def test_hostile_docx_is_refused_and_the_next_document_read(name: str, pool: SyncPool) -> None:
    make, message = DOCX[name]
    with pytest.raises(Unreadable, match=message):
        pool.read("docx", URL, make())

    assert pool.read("docx", URL, (FOLDER / "letter.docx").read_bytes()).title == "Notice 14"


@pytest.mark.parametrize(
    "target", ["/etc/hostname", "../../../etc/hostname", "file:///etc/hostname", "slides/none.xml"]
)
def test_part_outside_the_package_is_never_read(target: str, pool: SyncPool) -> None:
    body = pptx([slide(shape("Here."))], [{"rId1": ("notesSlide", target)}])

    assert pool.read("pptx", URL, body).markdown == "Here."


def test_presentation_with_cyclic_relations_is_read(pool: SyncPool) -> None:
    body = pptx(
        [slide(shape("Here."))],
        [{"rId1": ("notesSlide", "slide1.xml"), "rId2": ("slideLayout", "slide1.xml")}],
    )

    assert pool.read("pptx", URL, body).markdown == "Here."


def test_many_open_fields_are_read_within_the_limits(pool: SyncPool) -> None:
    parts = ("begin", "separate")
    field = "".join(f'<w:r><w:fldChar w:fldCharType="{part}"/></w:r>' for part in parts)
    body = zipped(docx_parts(paragraph(field, "x") * 15_000))

    assert pool.read("docx", URL, body).markdown.startswith("x\n\nx")


def test_many_filled_shapes_are_read_within_the_limits(pool: SyncPool) -> None:
    filled = shape("", place=(0, 0)).replace(
        "</p:spPr>", "<a:solidFill><a:srgbClr val='000000'/></a:solidFill></p:spPr>"
    )
    texts = [shape("Here.", place=(500, 0))] * 2_000

    assert "Here." in pool.read("pptx", URL, pptx([slide(*[filled] * 2_000, *texts)])).markdown


def test_zip_bomb_is_refused() -> None:
    source = FetchedDocument(
        URL,
        inflating(70),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )

    with pytest.raises(Unreadable, match="unpacks to far more than it should"):
        pick_format(source).to_markdown(source)
