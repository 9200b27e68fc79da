"""The sample PDFs: a paper in two columns, a report, a page with hidden text, a scan, a locked
file.
"""

from __future__ import annotations

from tests.read.formats.pdf_writer import (
    BOLD,
    CODE,
    HEIGHT,
    REGULAR,
    WIDTH,
    Pdf,
    stream,
    width_of,
    wrap,
)

LEFT, COLUMN, GUTTER = 50, 235, 25
_PAPER = [
    ("head", "1 Introduction"),
    (
        "text",
        "Harbours have been dug for as long as there have been ships, and for as long they have "
        "filled up again. What the"
        " tide brings in it takes out only in part, and the dif\u00adfer\u00adence settles where "
        "the water is slowest.",
    ),
    (
        "text",
        "This is a well-known nui\u00adsance. Whoever keeps a harbour open pays for it every "
        "year, and the bill depends on"
        " how well the sed\u00adi\u00admen\u00adta\u00adtion can be foretold. We measured it in "
        "one harbour over four years.",
    ),
    ("subhead", "1.1 The place"),
    (
        "text",
        "Lowick lies at the end of a shallow bay. Its quay was built in 1871 and is four metres "
        "deep at low water. The bay"
        " is open to the west, and storms from that side stir up what lies on its floor.",
    ),
    ("head", "2 Methods"),
    (
        "text",
        "Three things were measured on every tide of the year, without regard to the weather:",
    ),
    ("item", "the height of the water at the quay;"),
    ("item", "the speed of the stream in the entrance, at three depths and on both of its sides;"),
    ("item", "how much the water carried with it."),
    (
        "text",
        "The instruments were cleaned once a month. Where one of them failed, the gap was not "
        "filled: we would rather say"
        " that we do not know than guess. Table 1 shows how many tides were left in each of the "
        "years.",
    ),
    ("table", ""),
    (
        "text",
        "Most of what settles comes with few tides. In each of the years a dozen of them, all "
        "during storms from the west,"
        " brought more than half of the whole. Between the storms the harbour loses a little of "
        "its mud, but by no means"
        " as much as it gained.",
    ),
    ("head", "3 Results"),
    (
        "text",
        "The dredger comes in spring, when the storms are over. If it came in early autumn "
        "instead, it would remove what"
        " the summer left, which is next to nothing. The custom of the harbour is therefore "
        "right, although nobody could"
        " say why it was begun.",
    ),
    (
        "text",
        "What the figures do not show is where the mud goes once it is out at sea. Some of it "
        "comes back. We found grains"
        " that had been dyed and dumped four miles from the quay in the very berth they were taken "
        "from, and it had taken"
        " them less than a year to return there.",
    ),
    ("head", "4 Conclusions"),
    (
        "text",
        "A harbour like this one needs a dredger for one week of the year, and the week should "
        "follow the storms. A place"
        " farther out to dump the mud would pay for itself within three years.",
    ),
]
_TIDES = [
    ["Year", "Tides", "Lost"],
    ["2021", "702", "3"],
    ["2022", "698", "7"],
    ["2023", "705", "0"],
]
_FOOTNOTE = "* A tide is counted as lost when any of the three instruments was silent."


class _Columns:
    """Sets blocks into two columns, page after page."""

    def __init__(self, pdf: Pdf, title: str, authors: str) -> None:
        self._pdf = pdf
        self._column = -1
        self._page = pdf.add()
        self._y = self._foot = 0.0
        self._running_head()
        self._page.text((WIDTH - width_of(title, BOLD, 18)) / 2, HEIGHT - 90, title, BOLD, 18)
        self._page.text(
            (WIDTH - width_of(authors, REGULAR, 11)) / 2, HEIGHT - 114, authors, size=11
        )
        self._next_column()

    def block(self, kind: str, text: str) -> None:
        if kind == "head":
            self._make_room(50)
            self._page.text(self._x, self._y - 8, text, BOLD, 13)
            self._y -= 25
        elif kind == "subhead":
            self._make_room(40)
            self._page.text(self._x, self._y - 4, text, BOLD)
            self._y -= 18
        elif kind == "table":
            self._table()
        else:
            self._lines(text, indent=12 if kind == "text" else 0, inset=12 if kind == "item" else 0)

    def _make_room(self, wanted: float) -> None:
        if self._y - wanted < self._foot:
            self._next_column()

    def _next_column(self) -> None:
        if self._column == 0 and len(self._pdf.pages) == 1:
            self._page.rule(LEFT, 340, LEFT + 60, 340)
            self._page.paragraph(LEFT, 330, _FOOTNOTE, COLUMN, size=7.5, leading=9)
        self._column += 1
        if self._column == 2:
            self._column = 0
            self._page = self._pdf.add()
            self._running_head()
        first = len(self._pdf.pages) == 1
        self._foot = 350.0
        self._y = HEIGHT - (150.0 if first else 90.0)

    def _running_head(self) -> None:
        number = len(self._pdf.pages)
        self._page.text(
            LEFT,
            HEIGHT - 32,
            "Proceedings on Mud" if number % 2 else "A. Ferry and B. Lock",
            size=8,
        )
        self._page.text(WIDTH - LEFT - 10, HEIGHT - 32, str(number), size=8)

    @property
    def _x(self) -> float:
        return LEFT + self._column * (COLUMN + GUTTER)

    def _lines(self, text: str, indent: float, inset: float) -> None:
        for number, line in enumerate(wrap(text, COLUMN - inset, indent=indent)):
            self._make_room(12)
            if inset and not number:
                self._page.text(self._x, self._y, "•")
            self._page.text(self._x + inset + (0 if number else indent), self._y, line)
            self._y -= 12

    def _table(self) -> None:
        self._make_room(110)
        top = self._y = self._y - 6
        for row in _TIDES:
            for place, cell in enumerate(row):
                self._page.text(
                    self._x + 6 + 70 * place,
                    self._y - 11,
                    cell,
                    BOLD if row is _TIDES[0] else REGULAR,
                    9,
                )
            self._page.rule(self._x, self._y, self._x + 210, self._y)
            self._y -= 16
        self._page.rule(self._x, self._y, self._x + 210, self._y)
        for place in range(4):
            self._page.rule(self._x + 70 * place, top, self._x + 70 * place, self._y)
        self._y -= 20


def paper() -> bytes:
    """Two columns, running heads that alternate, hyphens, a ruled table, a note at the foot of the
    first column.
    """
    pdf = Pdf(
        info={
            "Title": "What the tide leaves behind",
            "Author": "Ada Ferry, Bram Lock",
            "CreationDate": "D:20240512083000+02'00'",
            "ModDate": "D:20240601",
        }
    )
    columns = _Columns(pdf, "What the tide leaves behind", "Ada Ferry and Bram Lock")
    for kind, text in _PAPER:
        columns.block(kind, text)
    return pdf.data()


_PRICES = [
    ["Berth", "Length", "Per night"],
    ["North quay", "12 m", "24.00"],
    ["South quay", "9.5 m", "18.50"],
    ["Mooring", "any", "11.00"],
]
_RULES = [
    "Vessels under sail give way to the ferry inside the moles, whatever the rules say outside.",
    "Nobody anchors in the fairway. An anchor that is found there belongs to the harbour.",
    "Waste is brought ashore:",
]


def report() -> bytes:
    """One column: contents, bold subheads, aligned columns without rules, lists, code; two pages,
    numbered below.
    """
    pdf = Pdf(
        info={
            "Title": "Microsoft Word - rules_v3.doc",
            "Author": "Harbour Office",
            "CreationDate": "D:2023",
        }
    )
    page = pdf.add()
    page.text(72, 760, "Rules of the Harbour", BOLD, 20)
    y = 720.0
    for name, number in (("1 Berths", "1"), ("2 Conduct", "1"), ("3 Reports to the office", "2")):
        dots = "." * int((451 - width_of(name + number, REGULAR, 10)) / 2.78 - 2)
        page.text(72, y, f"{name} {dots} {number}")
        y -= 14
    page.text(72, y - 20, "1 Berths", BOLD, 14)
    y = page.paragraph(
        72,
        y - 44,
        "Berths are let by the night. The price depends on the length of the vessel, as follows.",
        451,
    )
    y -= 10
    for row in _PRICES:
        for x, cell in zip((72, 180, 260), row, strict=True):
            page.text(x, y, cell)
        y -= 14
    y = page.paragraph(
        72, y - 10, "A berth that is not paid for by noon is let to somebody else.", 451
    )
    page.text(72, y - 20, "2 Conduct", BOLD, 14)
    y -= 44
    for place, rule in enumerate(_RULES, 1):
        page.text(72, y, f"{place}.")
        y = page.paragraph(90, y, rule, 433) - 3
    for item in ("oil and paint into the red bin,", "everything else into the green one."):
        page.text(90, y, "-")
        y = page.paragraph(104, y, item, 400) - 3
    page.text(72, y - 12, "Noise", BOLD)
    page.paragraph(
        72,
        y - 28,
        "Engines are not run between ten in the evening and six in the morning, except to leave.",
        451,
    )
    page.text(290, 40, "- 1 -", size=9)
    page = pdf.add()
    page.text(72, 760, "3 Reports to the office", BOLD, 14)
    y = page.paragraph(
        72,
        736,
        "Vessels report by radio when they pass the mole. Those that can send data do so in this "
        "form:",
        451,
    )
    for line in ("vessel {", "    name: Albatross", "    length: 11.4", "}"):
        page.text(
            72 + width_of(" ", CODE, 9) * (len(line) - len(line.lstrip())),
            y - 6,
            line.lstrip(),
            CODE,
            9,
        )
        y -= 11
    page.paragraph(72, y - 20, "The office answers within the hour.", 451)
    page.text(290, 40, "- 2 -", size=9)
    return pdf.data()


def hidden() -> bytes:
    """One line that is seen, one on a dark ground, and words that nobody sees."""
    pdf = Pdf(info={"Title": "A notice"})
    page = pdf.add()
    page.text(72, 760, "This line is seen by everybody.", size=12)
    page.raw("0 0 0.4 rg 60 715 300 24 re f 0 g")
    page.text(72, 722, "So is this one, white on blue.", size=12, before="1 g")
    page.text(72, 690, "WHITE on white", size=12, before="1 1 1 rg")
    page.text(72, 670, "TINY words", size=0.8)
    page.text(72, 1400, "OUTSIDE of the page", size=12)
    page.text(72, 650, "WITHOUT ink", size=12, before="3 Tr")
    page.text(72, 630, "Seen, then", size=12)
    page.text(140, 630, "FAINT words", size=12, before="0.98 g")
    page.text(230, 630, "seen again.", size=12)
    return pdf.data()


def scan() -> bytes:
    """Two pages that are pictures of text."""
    pdf = Pdf(resources=b"/XObject << /Scan 100 0 R >>")
    for _ in range(2):
        pdf.add().raw("q 500 0 0 700 40 60 cm /Scan Do Q")
    image = (
        b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray "
        b"/BitsPerComponent 8"
    )
    pdf.objects.append(stream(b"\x20\xe0\xe0\x20", image))
    return pdf.data()


def locked() -> bytes:
    """A file whose password nobody knows."""
    pdf = Pdf()
    pdf.add().text(72, 700, "secret")
    key = b"<" + b"5a" * 32 + b">"
    pdf.extra["Encrypt"] = b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (key, key)
    pdf.extra["ID"] = b"[<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]"
    return pdf.data()
