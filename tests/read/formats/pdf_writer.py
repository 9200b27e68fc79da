"""A small writer of PDF files for tests: what is drawn goes in, a file whose bytes depend on
nothing else comes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

WIDTH, HEIGHT = 595, 842
REGULAR, BOLD, CODE = "F1", "F2", "F3"
_FACES = {REGULAR: b"Helvetica", BOLD: b"Helvetica-Bold", CODE: b"Courier"}
_WIDTHS = {
    REGULAR: (
        "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 "
        "556 556 556 556 278 278"
        " 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 "
        "778 722 667 611 722 667"
        " 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 "
        "222 833 556 556 556 556"
        " 333 500 278 556 500 722 500 500 500 334 260 334 584"
    ),
    BOLD: (
        "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 "
        "556 556 556 556 333 333"
        " 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 "
        "778 722 667 611 722 667"
        " 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 "
        "278 889 611 611 611 611"
        " 389 556 333 611 556 778 556 556 500 389 280 389 584"
    ),
    CODE: " ".join(["600"] * 95),
}
_TABLES = {
    font: dict(zip(range(32, 127), map(int, widths.split()), strict=True))
    for font, widths in _WIDTHS.items()
}
_SOFT = "\u00ad"  # where a word may be broken


def width_of(text: str, font: str, size: float) -> float:
    """How wide a text is, in points."""
    table = _TABLES[font]
    return sum(table.get(ord(character), 556) for character in text) * size / 1000


def wrap(
    text: str, width: float, *, font: str = REGULAR, size: float = 10, indent: float = 0
) -> list[str]:
    """The lines of a paragraph; words are broken at soft hyphens where they do not fit."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        bare = word.replace(_SOFT, "")
        room = width - (0 if lines else indent)
        if not line or width_of(f"{line} {bare}", font, size) <= room:
            line = f"{line} {bare}".strip()
            continue
        for place in [place for place, character in enumerate(word) if character == _SOFT][::-1]:
            head = word[:place].replace(_SOFT, "")
            if width_of(f"{line} {head}-", font, size) <= room:
                lines.append(f"{line} {head}-")
                line = word[place:].replace(_SOFT, "")
                break
        else:
            lines.append(line)
            line = bare
    return [*lines, line]


@dataclass
class Page:
    """One page, drawn from its foot upwards in points."""

    parts: list[bytes] = field(default_factory=list)

    def text(
        self, x: float, y: float, text: str, font: str = REGULAR, size: float = 10, before: str = ""
    ) -> None:
        """A line of text; `before` holds operators that count for it alone."""
        string = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")
        head = f"q {before} BT /{font} {size} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm ".encode("ascii")
        self.parts.append(head + b"(" + string + b") Tj ET Q")

    def paragraph(
        self,
        x: float,
        y: float,
        text: str,
        width: float,
        size: float = 10,
        leading: float = 12,
        indent: float = 0,
    ) -> float:
        """Lines of text below each other; where the next line would stand comes back."""
        for number, line in enumerate(wrap(text, width, size=size, indent=indent)):
            self.text(x + (0 if number else indent), y, line, size=size)
            y -= leading
        return y

    def rule(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.parts.append(f"0.5 w {x1} {y1} m {x2} {y2} l S".encode("ascii"))

    def raw(self, operators: str) -> None:
        self.parts.append(operators.encode("ascii"))

    @property
    def content(self) -> bytes:
        return b"\n".join(self.parts)


@dataclass
class Pdf:
    """A file of pages."""

    pages: list[Page] = field(default_factory=list)
    info: dict[str, str] = field(default_factory=dict)
    extra: dict[str, bytes] = field(default_factory=dict)  # entries of the trailer
    resources: bytes = b""
    extra_catalog: bytes = b""
    page_entries: bytes = b""
    objects: list[bytes] = field(default_factory=list)  # more of them, numbered from 100 on

    def add(self) -> Page:
        self.pages.append(Page())
        return self.pages[-1]

    def data(self) -> bytes:
        return assemble(dict(self._objects()), self._trailer())

    def _objects(self) -> Iterator[tuple[int, bytes]]:
        fonts = " ".join(f"/{name} {3 + place} 0 R" for place, name in enumerate(_FACES))
        kids = " ".join(f"{10 + 2 * place} 0 R" for place in range(len(self.pages)))
        yield 1, b"<< /Type /Catalog /Pages 2 0 R %s >>" % self.extra_catalog
        yield 2, f"<< /Type /Pages /Kids [{kids}] /Count {len(self.pages)} >>".encode("ascii")
        for place, face in enumerate(_FACES.values()):
            yield (
                3 + place,
                b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
                % face,
            )
        said = " ".join(f"/{key} ({value})" for key, value in self.info.items())
        yield 6, f"<< {said} >>".encode("cp1252")
        for place, page in enumerate(self.pages):
            number = 10 + 2 * place
            box = f"/MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {number + 1} 0 R".encode("ascii")
            resources = b"/Resources << /Font << %s >> %s >>" % (
                fonts.encode("ascii"),
                self.resources,
            )
            yield (
                number,
                b"<< /Type /Page /Parent 2 0 R %s %s %s >>" % (box, resources, self.page_entries),
            )
            yield number + 1, stream(page.content)
        for place, body in enumerate(self.objects):
            yield 100 + place, body

    def _trailer(self) -> bytes:
        entries = b" ".join(
            b"/%s %s" % (key.encode("ascii"), value) for key, value in self.extra.items()
        )
        return b"/Root 1 0 R /Info 6 0 R " + entries


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def assemble(objects: dict[int, bytes], trailer: bytes) -> bytes:
    """A file with these objects and a table of their places."""
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places: dict[int, int] = {}
    for number, body in sorted(objects.items()):
        places[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b""
    for number in places:
        table += b"%d 1\n%010d 00000 n \n" % (number, places[number])
    start = len(data)
    size = max(places) + 1
    return (
        data
        + b"xref\n0 1\n0000000000 65535 f \n%strailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            table,
            size,
            trailer,
            start,
        )
    )
