"""A small PDF written by hand: text in, a file out whose bytes depend on the text alone."""

from __future__ import annotations

import textwrap

WIDTH, HEIGHT, MARGIN = 595, 842, 72
_SIZES = {
    "# ": ("F2", 18, 26),
    "## ": ("F2", 13, 22),
    "": ("F1", 11, 15),
}  # font, size, distance of lines


def make_pdf(text: str, title: str, author: str, date: str) -> bytes:
    """Pages are separated by form feeds; `# ` and `## ` begin headings, blank lines separate
    paragraphs.
    """
    pages = text.split("\f")
    first_page = 6
    kids = " ".join(f"{first_page + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("ascii"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        b"<< /Title %s /Author %s /CreationDate (D:%s) /Producer (written by hand) >>"
        % (_string(title), _string(author), date.encode("ascii")),
    ]
    for number, page in enumerate(pages):
        content = _content(page)
        resources = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
        box = f"[0 0 {WIDTH} {HEIGHT}]"
        reference = first_page + 2 * number + 1
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources {resources} /Contents "
            f"{reference} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _assemble(objects)


def _content(page: str) -> bytes:
    lines = [b"BT"]
    y = HEIGHT - MARGIN
    for paragraph in page.strip().split("\n\n"):
        mark = next(mark for mark in ("## ", "# ", "") if paragraph.startswith(mark))
        font, size, leading = _SIZES[mark]
        for line in textwrap.wrap(" ".join(paragraph[len(mark) :].split()), width=int(940 / size)):
            lines.append(
                f"/{font} {size} Tf 1 0 0 1 {MARGIN} {y} Tm ".encode("ascii")
                + _string(line)
                + b" Tj"
            )
            y -= leading
        y -= 8
    return b"\n".join([*lines, b"ET"])


def _string(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _assemble(objects: list[bytes]) -> bytes:
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    start = len(data)
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + trailer
        + b"startxref\n%d\n%%%%EOF\n" % start
    )
