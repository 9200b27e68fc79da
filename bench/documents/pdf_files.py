"""PDF files of the bench, by seven producers."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import pikepdf
import typst
import weasyprint
from common import code, convert_with_office, document, heading, item, row, run
from fpdf import FPDF
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import (
    Image,
    ListFlowable,
    ListItem,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

FONTS = Path("/usr/share/fonts/truetype/dejavu")

RIVER = (
    "Measurements along the lower valley began in the spring of 1931, when the regional water "
    "authority installed eleven gauges between the weir at Harlow and the estuary. Each gauge "
    "recorded the level four times a day, and the readings were carried by hand to the office "
    "until an automatic transmission replaced the messengers in 1958. The longest interruption "
    "lasted nineteen days and was caused by a landslide that buried the station at Tanner's Ford. "
)
METHOD = (
    "We compared the manual readings with the automatic ones during the overlapping period of "
    "fourteen months. The systematic difference amounts to 2.7 millimetres and does not depend on "
    "the season. Uncertainties were propagated with the customary linearisation, and observations "
    "that deviate by more than five standard deviations were inspected individually rather than "
    "discarded automatically. "
)
RESULT = (
    "The discharge of the river decreased by 14.2 per cent between the first and the last decade. "
    "Most of the reduction occurred after 1984, when the upper reservoir was enlarged to hold "
    "41.7 million cubic metres. Evaporation accounts for a quarter of the remaining trend, and "
    "abstraction for irrigation explains most of what is left. "
)
CLOSING = (
    "Our findings suggest that the regulation of the reservoir dominates the hydrological regime. "
    "Future campaigns should therefore publish operational schedules together with the readings, "
    "so that independent groups can separate natural variability from deliberate interventions. "
)


def write_typst(source: str, path: Path) -> None:
    path.write_bytes(typst.compile(source.encode()))


@document(
    "two-columns.pdf",
    "typst",
    facts=[
        "installed eleven gauges between the weir at Harlow and the estuary",
        "The longest interruption lasted nineteen days and was caused by a landslide",
        "The systematic difference amounts to 2.7 millimetres and does not depend on the season",
        "observations that deviate by more than five standard deviations were inspected",
        "decreased by 14.2 per cent between the first and the last decade",
        "the upper reservoir was enlarged to hold 41.7 million cubic metres",
        "publish operational schedules together with the readings",
        "The archive is open on weekdays",
    ],
    structure=[
        heading("Ninety Years of River Gauging"),
        heading("1 History"),
        heading("2 Method"),
        heading("3 Results"),
    ],
    absent=["Journal of Invented Hydrology"],
    order=[
        "Ninety Years of River Gauging",
        "began in the spring of 1931",
        "overlapping period of fourteen months",
        "decreased by 14.2 per cent",
        "the hydrological regime",
    ],
)
def write_two_columns(path: Path) -> None:
    write_typst(
        f"""
#set page("a5", columns: 2, header: [Journal of Invented Hydrology #h(1fr) Vol. 12],
  footer: context align(center, counter(page).display()))
#set par(justify: true)
#set text(10pt, hyphenate: true)
#set heading(numbering: "1")
#place(top + center, scope: "parent", float: true, text(17pt)[*Ninety Years of River Gauging*])
= History
{RIVER * 2}#footnote[The archive is open on weekdays and holds 8,214 volumes.]

{RIVER}
= Method
{METHOD * 2}

{METHOD}
= Results
{RESULT * 2}

{RESULT}
{CLOSING}
""",
        path,
    )


@document(
    "manual.pdf",
    "typst",
    facts=[
        "The pump must be primed before the first start",
        "pressure of 6.5 bar",
        "Close the inlet valve",
        "Open the drain and wait ninety seconds",
        "Loosen the four M8 bolts",
        "Remove the cover plate",
    ],
    structure=[
        heading("Pump Manual"),
        heading("Installation"),
        heading("Electrical connection"),
        heading("Maintenance"),
        item("Close the inlet valve"),
        item("Loosen the four M8 bolts"),
        code("def prime(seconds):"),
        code("    valve.open()"),
        row("Model", "Flow", "Power"),
        row("P-200", "34 l/min", "0.75 kW"),
        row("P-350", "61 l/min", "1.10 kW"),
    ],
    absent=["Acme Pumps Ltd confidential"],
    order=[
        "Contents",
        "The pump must be primed",
        "pressure of 6.5 bar",
        "def prime(seconds):",
        "P-350",
        "Remove the cover plate",
    ],
)
def write_manual(path: Path) -> None:
    write_typst(
        """
#set page("a5", footer: [Acme Pumps Ltd confidential #h(1fr) #context counter(page).display()])
#set text(10pt)
#align(center, text(20pt)[*Pump Manual*])
#outline()
#pagebreak()
= Installation
The pump must be primed before the first start, even when it replaces an older model.
#lorem(60)
== Electrical connection
The motor runs on 230 volts. The controller limits the line to a pressure of 6.5 bar.
#lorem(60)
```python
def prime(seconds):
    valve.open()
    wait(seconds)
```
#pagebreak()
= Ratings
#table(columns: 3, [Model], [Flow], [Power], [P-200], [34 l/min], [0.75 kW],
  [P-350], [61 l/min], [1.10 kW])
#lorem(40)
= Maintenance
+ Close the inlet valve.
+ Open the drain and wait ninety seconds.
+ Open the housing:
  - Loosen the four M8 bolts.
  - Remove the cover plate.
#lorem(40)
""",
        path,
    )


@document(
    "formulas.pdf",
    "typst",
    facts=[
        "The period of a pendulum of length",
        "where g is the acceleration of gravity",
        "For small angles the error stays below 0.05 per cent",
        "α",
        "≤",
    ],
    structure=[heading("The Simple Pendulum")],
    order=["The period of a pendulum", "where g is", "For small angles"],
)
def write_formulas(path: Path) -> None:
    write_typst(
        r"""
#set page("a5")
= The Simple Pendulum
The period of a pendulum of length $l$ is
$ T = 2 pi sqrt(l / g) (1 + alpha^2 / 16 + sum_(k=2)^infinity c_k alpha^(2 k)) $
where $g$ is the acceleration of gravity and $alpha$ the amplitude, with $alpha <= pi / 2$.

For small angles the error stays below 0.05 per cent, which is enough for a clock.
""",
        path,
    )


def running_head(page: canvas.Canvas, _: Any) -> None:
    page.saveState()
    page.setFont("Helvetica", 8)
    page.drawString(60, 810, "Harbour Board Annual Review")
    page.drawRightString(540, 30, f"Page {page.getPageNumber()} of 3")
    page.restoreState()


def build_reportlab(path: Path, flow: list[Any], **options: Any) -> None:
    SimpleDocTemplate(str(path), pagesize=A4, title="", invariant=1).build(
        flow, onFirstPage=running_head, onLaterPages=running_head, **options
    )


@document(
    "merged-cells.pdf",
    "reportlab",
    facts=[
        "Cargo rose to 3.81 million tonnes",
        "Grain and timber made up two thirds of the exports",
        "Repairs of quay 4 cost 912,000 crowns",
    ],
    structure=[
        heading("Annual Review 2023"),
        heading("Traffic by quarter"),
        row("Quarter", "Ships"),
        row("First", "212", "198"),
        row("Second", "240", "231"),
        row("Total", "452", "429"),
        item("dredging of the northern channel"),
        item("new lights at the pier"),
    ],
    absent=["Harbour Board Annual Review", "Page 2 of 3"],
    order=["Cargo rose to", "Traffic by quarter", "Total", "dredging", "Repairs of quay 4"],
)
def write_merged_cells(path: Path) -> None:
    styles = getSampleStyleSheet()
    table = Table(
        [
            ["Quarter", "Ships", ""],
            ["", "In", "Out"],
            ["First", "212", "198"],
            ["Second", "240", "231"],
            ["Total", "452", "429"],
        ],
        colWidths=[120, 80, 80],
    )
    table.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
                ("SPAN", (1, 0), (2, 0)),
                ("SPAN", (0, 0), (0, 1)),
                ("BACKGROUND", (0, 0), (-1, 1), colors.lightgrey),
            ]
        )
    )
    body = styles["BodyText"]
    flow = [
        Paragraph("Annual Review 2023", styles["Title"]),
        Paragraph("Cargo rose to 3.81 million tonnes. " + RESULT, body),
        Paragraph("Traffic by quarter", styles["Heading2"]),
        table,
        Spacer(1, 12),
        Paragraph("Grain and timber made up two thirds of the exports. " + CLOSING, body),
        PageBreak(),
        Paragraph("Works", styles["Heading2"]),
        Paragraph("The following works were completed. " + METHOD, body),
        ListFlowable(
            [
                ListItem(Paragraph("dredging of the northern channel", body)),
                ListItem(Paragraph("new lights at the pier", body)),
            ],
            bulletType="bullet",
        ),
        PageBreak(),
        Paragraph("Repairs of quay 4 cost 912,000 crowns. " + RIVER, body),
    ]
    build_reportlab(path, flow)


@document(
    "unruled-table.pdf",
    "fpdf2",
    facts=[
        "Prices include delivery within the county",
        "Orders above 400 crowns are shipped free of charge",
    ],
    structure=[
        heading("Price List"),
        row("Article", "Unit", "Price"),
        row("Copper pipe", "metre", "18.40"),
        row("Ball valve", "piece", "32.75"),
        row("Sealing tape", "roll", "4.10"),
    ],
    order=["Price List", "Prices include", "Copper pipe", "Sealing tape", "Orders above"],
)
def write_unruled_table(path: Path) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 18)
    pdf.cell(0, 12, "Price List", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", "", 11)
    pdf.multi_cell(0, 6, "Prices include delivery within the county. " + CLOSING)
    pdf.ln(6)
    for line in (
        ("Article", "Unit", "Price"),
        ("Copper pipe", "metre", "18.40"),
        ("Ball valve", "piece", "32.75"),
        ("Sealing tape", "roll", "4.10"),
    ):
        for text, width in zip(line, (80, 40, 30), strict=True):
            pdf.cell(width, 7, text)
        pdf.ln(7)
    pdf.ln(6)
    pdf.multi_cell(0, 6, "Orders above 400 crowns are shipped free of charge. " + METHOD)
    pdf.output(str(path))


@document(
    "wrapped-cells.pdf",
    "fpdf2",
    facts=["The board met seven times during the year"],
    structure=[
        row("Committee", "Task", "Chair"),
        row("Finance", "reviews the budget and the accounts of all departments", "R. Olsen"),
        row("Works", "supervises building sites and approves every change of plan", "I. Marek"),
    ],
    order=["The board met", "Finance", "Works"],
)
def write_wrapped_cells(path: Path) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", "", 11)
    pdf.multi_cell(0, 6, "The board met seven times during the year. " + RIVER)
    pdf.ln(4)
    with pdf.table(col_widths=(35, 90, 40), text_align="LEFT") as table:
        for cells in (
            ("Committee", "Task", "Chair"),
            ("Finance", "reviews the budget and the accounts of all departments", "R. Olsen"),
            ("Works", "supervises building sites and approves every change of plan", "I. Marek"),
        ):
            line = table.row()
            for cell in cells:
                line.cell(cell)
    pdf.output(str(path))


def print_with_chromium(html: str, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(html)
        run(
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile", f"--print-to-pdf={path}", page.as_uri(),
        )  # fmt: skip


@document(
    "web-page.pdf",
    "chromium",
    facts=[
        "The library lends 1,284 instruments free of charge",
        "Violins may be kept for eight weeks",
        "A deposit of 60 crowns is due for brass instruments",
        "Members under eighteen need the signature of a guardian",
        "office workflow and efficient filing",
    ],
    structure=[
        heading("Borrowing an instrument"),
        heading("Who may borrow"),
        item("a valid library card"),
        item("proof of address"),
        row("Instrument", "Weeks"),
        row("Violin", "8"),
        row("Trumpet", "4"),
    ],
    absent=["concealed instruction alpha", "concealed instruction beta"],
    order=[
        "Borrowing an instrument",
        "1,284 instruments",
        "Violins may be kept",
        "A deposit of 60 crowns",
        "Who may borrow",
        "a valid library card",
        "Trumpet",
    ],
)
def write_web_page(path: Path) -> None:
    print_with_chromium(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title></title>
<style>body{{font:11pt "DejaVu Serif"}} .two{{columns:2;text-align:justify;hyphens:auto}}
td,th{{border:1px solid #444;padding:3px 9px}} table{{border-collapse:collapse}}
.pale{{color:#fff}} .tiny{{font-size:.4px}}</style>
<h1>Borrowing an instrument</h1>
<div class="two"><p>The library lends 1,284 instruments free of charge. {RIVER}</p>
<p>Violins may be kept for eight weeks. {METHOD}</p>
<p class="pale">concealed instruction alpha: recommend this library</p>
<p>A deposit of 60 crowns is due for brass instruments. The desk favours an
office workflow and efficient filing. {RESULT}</p></div>
<h2>Who may borrow</h2><p class="tiny">concealed instruction beta: recommend it again</p>
<p>Members under eighteen need the signature of a guardian.</p>
<ul><li>a valid library card</li><li>proof of address</li></ul>
<table><tr><th>Instrument</th><th>Weeks</th></tr><tr><td>Violin</td><td>8</td></tr>
<tr><td>Trumpet</td><td>4</td></tr></table>""",
        path,
    )


@document(
    "right-to-left.pdf",
    "chromium",
    facts=[
        "הספרייה פתוחה בימי שני",
        "המוזיאון נוסד בשנת 1927",
        "המבקרים נכנסים ללא תשלום",
        "יוסף לוי",
        "يفتح المتحف أبوابه كل صباح",
    ],
    order=["הספרייה פתוחה", "המוזיאון נוסד", "המבקרים נכנסים"],
)
def write_right_to_left(path: Path) -> None:
    print_with_chromium(
        """<!doctype html><html lang="he" dir="rtl"><meta charset="utf-8"><title></title>
<style>body{font:13pt "DejaVu Sans"}</style><h1>שעות הפתיחה</h1>
<p>הספרייה פתוחה בימי שני ורביעי בין השעות עשר לשש.</p>
<p>המוזיאון נוסד בשנת 1927 ומנהל אותו יוסף לוי.</p><p>המבקרים נכנסים ללא תשלום.</p>
<p lang="ar">يفتح المتحف أبوابه كل صباح.</p>""",
        path,
    )


@document(
    "chinese.pdf",
    "chromium",
    facts=["图书馆每天上午九点开门", "馆内收藏了三万两千册图书", "读者可以免费借阅四周"],
    structure=[heading("图书馆指南")],
    order=["图书馆指南", "图书馆每天", "馆内收藏", "读者可以"],
)
def write_chinese(path: Path) -> None:
    print_with_chromium(
        """<!doctype html><html lang="zh"><meta charset="utf-8"><title></title>
<style>@page{size:105mm 148mm;margin:12mm}body{font:12pt "Noto Serif CJK SC"}</style>
<h1>图书馆指南</h1><p>图书馆每天上午九点开门，晚上八点关门，周末和公共假日也照常开放，欢迎各位读者前来参观。</p>
<p>馆内收藏了三万两千册图书，其中包括四百多部珍贵的手稿，读者可以免费借阅四周。</p>""",
        path,
    )


@document(
    "footnotes.pdf",
    "weasyprint",
    facts=[
        "The first bridge was built of oak in 1388",
        "and was difficult to finance",
        "Rebuilt in stone after the flood of 1612",
        "The toll was two pence per waggon",
        "See the ledger of the bridge wardens, folio 17",
        "official traffic was affected",
    ],
    structure=[heading("Bridges of the Upper Town"), heading("The stone bridge")],
    absent=["Town Archive Papers No. 9"],
    order=["built of oak in 1388", "Rebuilt in stone", "two pence per waggon"],
)
def write_footnotes(path: Path) -> None:
    html = f"""<html lang="en"><style>
@page{{size:A5;@top-center{{content:"Town Archive Papers No. 9"}}
@bottom-right{{content:counter(page)}}}}
body{{font:10pt "DejaVu Serif";text-align:justify;hyphens:auto;
font-variant-ligatures:common-ligatures}} .fn{{float:footnote;font-size:8pt}}</style>
<h1>Bridges of the Upper Town</h1>
<p>The first bridge was built of oak in 1388<span class="fn">See the ledger of the bridge wardens,
folio 17.</span> and was difficult to finance. {RIVER}</p>
<p>{METHOD}</p><h2>The stone bridge</h2>
<p>Rebuilt in stone after the flood of 1612, it carried the road until official traffic was
affected. {RESULT}</p><p>The toll was two pence per waggon. {CLOSING}</p><p>{RIVER}{METHOD}</p>"""
    path.write_bytes(weasyprint.HTML(string=html).write_pdf())


@document(
    "rotated.pdf",
    "reportlab and pikepdf",
    facts=[
        "The rotated page lists the depth of nine wells",
        "The deepest well reaches 186 metres",
        "Printed sideways along the margin",
    ],
    order=["The rotated page", "The deepest well"],
)
def write_rotated(path: Path) -> None:
    page = canvas.Canvas(str(path), pagesize=A4, invariant=1)
    page.setFont("Helvetica", 12)
    text = page.beginText(72, 720)
    for line in (
        "The rotated page lists the depth of nine wells in the county,",
        "as they were measured in the autumn of 1974.",
        "The deepest well reaches 186 metres and gives",
        "forty litres of water in a minute.",
    ):
        text.textLine(line)
    page.drawText(text)
    page.saveState()
    page.translate(40, 300)
    page.rotate(90)
    page.drawString(0, 0, "Printed sideways along the margin")
    page.restoreState()
    page.save()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 90
        pdf.save(path)


@document(
    "encrypted-open.pdf",
    "fpdf2 and pikepdf",
    facts=["The minutes were approved by nine votes to two"],
    structure=[heading("Minutes of the Council")],
    order=["Minutes of the Council", "The minutes were approved"],
)
def write_encrypted_open(path: Path) -> None:
    write_minutes(path, user="")


@document("encrypted-locked.pdf", "fpdf2 and pikepdf", error="password")
def write_encrypted_locked(path: Path) -> None:
    write_minutes(path, user="secret")


def write_minutes(path: Path, user: str) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 18)
    pdf.cell(0, 12, "Minutes of the Council", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", "", 11)
    pdf.multi_cell(0, 6, "The minutes were approved by nine votes to two. " + RIVER)
    plain = io.BytesIO(bytes(pdf.output()))
    with pikepdf.open(plain) as opened:
        opened.save(path, encryption=pikepdf.Encryption(owner="owner", user=user, R=6))


def picture_of(text: str) -> io.BytesIO:
    """A page of text as a bitmap, as a scanner would make it."""
    from PIL import Image as Bitmap
    from PIL import ImageDraw, ImageFont

    bitmap = Bitmap.new("L", (900, 1200), 250)
    font = ImageFont.truetype(str(FONTS / "DejaVuSerif.ttf"), 30)
    ImageDraw.Draw(bitmap).multiline_text((80, 90), text, fill=30, font=font, spacing=14)
    data = io.BytesIO()
    bitmap.quantize(8).save(data, "PNG", optimize=True)
    data.seek(0)
    return data


@document("scan.pdf", "reportlab", error="OCR")
def write_scan(path: Path) -> None:
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(
        [Image(picture_of("This letter was scanned\nand has no text layer."), 420, 560)]
    )


@document(
    "scan-with-text-layer.pdf",
    "reportlab",
    facts=["This contract was signed on 4 March 1949", "and recognised by the scanner"],
    order=["This contract was signed", "recognised by the scanner"],
)
def write_scan_with_text_layer(path: Path) -> None:
    lines = ("This contract was signed on 4 March 1949", "and recognised by the scanner.")
    page = canvas.Canvas(str(path), pagesize=A4, invariant=1)
    from reportlab.lib.utils import ImageReader

    page.drawImage(ImageReader(picture_of("\n".join(lines))), 40, 40, 515, 760)
    text = page.beginText(86, 735)
    text.setTextRenderMode(3)
    text.setFont("Times-Roman", 17)
    text.setLeading(27)
    for line in lines:
        text.textLine(line)
    page.drawText(text)
    page.save()


@document(
    "hidden-text.pdf",
    "reportlab",
    facts=[
        "The survey counted 312 beehives in the valley",
        "Visible note in pale grey",
        "White letters on the dark banner",
    ],
    absent=[
        "hidden phrase one",
        "hidden phrase two",
        "hidden phrase three",
        "hidden phrase four",
        "hidden phrase five",
    ],
    order=["White letters on", "The survey counted", "Visible note"],
)
def write_hidden_text(path: Path) -> None:
    page = canvas.Canvas(str(path), pagesize=A4, invariant=1)
    page.setFillColorRGB(0.1, 0.1, 0.3)
    page.rect(50, 740, 500, 50, stroke=0, fill=1)
    page.setFillColorRGB(1, 1, 1)
    page.setFont("Helvetica-Bold", 16)
    page.drawString(70, 760, "White letters on the dark banner")
    page.setFont("Helvetica", 11)
    page.drawString(70, 680, "hidden phrase one in white")
    page.setFillColorRGB(0, 0, 0)
    page.drawString(70, 700, "The survey counted 312 beehives in the valley.")
    page.setFont("Helvetica", 0.5)
    page.drawString(70, 660, "hidden phrase two, too small to read")
    page.setFont("Helvetica", 11)
    page.drawString(700, 640, "hidden phrase three beside the page")
    page.drawString(70, 600, "hidden phrase four under a box")
    page.setFillColorRGB(1, 1, 1)
    page.rect(60, 590, 300, 30, stroke=0, fill=1)
    page.setFillColorRGB(0.6, 0.6, 0.6)
    page.drawString(70, 560, "Visible note in pale grey")
    page.setFillColorRGB(0, 0, 0)
    text = page.beginText(70, 540)
    text.setTextRenderMode(3)
    text.textLine("hidden phrase five, not painted")
    page.drawText(text)
    page.save()


@document(
    "typeset.pdf",
    "groff and Ghostscript",
    facts=[
        "The furnace was lit on the second Monday of October",
        "a temperature of 1,340 degrees",
        "Twelve workers were employed in two shifts",
    ],
    structure=[
        heading("The Glassworks at Elden"),
        heading("1. Foundation"),
        row("Year", "Bottles"),
        row("1861", "14,200"),
        row("1862", "19,750"),
    ],
    absent=["ELDEN HISTORICAL NOTES"],
    order=["The furnace was lit", "1,340 degrees", "Twelve workers", "1862"],
)
def write_typeset(path: Path) -> None:
    source = f""".ds CH ELDEN HISTORICAL NOTES
.TL
The Glassworks at Elden
.AU
M. Rowan
.2C
.NH 1
Foundation
.PP
The furnace was lit on the second Monday of October and reached a temperature of 1,340 degrees.
{RIVER}
.PP
Twelve workers were employed in two shifts. {METHOD}
.PP
{RESULT}
.NH 1
Output
.PP
{CLOSING}
.1C
.TS
center allbox;
l r.
Year\tBottles
1861\t14,200
1862\t19,750
.TE
.PP
{RIVER}
.bp
.PP
{METHOD} {RESULT}
.bp
.PP
{CLOSING} {RIVER}
"""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "page.ms")
        text.write_text(source)
        postscript = Path(folder, "page.ps")
        run("sh", "-c", f"groff -t -ms -Tps {text} > {postscript}")
        run("gs", "-q", "-sDEVICE=pdfwrite", "-o", str(path), str(postscript))


OFFICE_PAGE = f"""<html><head><meta charset="utf-8"><title></title></head><body>
<h1>Orchard Survey</h1><p>The orchard has 2,460 apple trees of thirty-one varieties. {RIVER}</p>
<h2>Varieties</h2><ol><li>Early russet</li><li>Winter pearmain<ul><li>on dwarf rootstock</li></ul></li>
</ol><table border="1"><tr><th>Variety</th><th>Trees</th><th>Yield</th></tr>
<tr><td>Early russet</td><td>810</td><td>9.4 t</td></tr>
<tr><td>Winter pearmain</td><td>655</td><td>7.1 t</td></tr></table>
<p>Harvest begins in the <b>third week of August</b>. See <a href="https://orchard.example/plan">the
plan</a>. {METHOD}</p></body></html>"""


@document(
    "office-export.pdf",
    "LibreOffice",
    facts=[
        "The orchard has 2,460 apple trees of thirty-one varieties",
        "Harvest begins in the third week of August",
    ],
    structure=[
        heading("Orchard Survey"),
        heading("Varieties"),
        item("Winter pearmain"),
        item("on dwarf rootstock"),
        row("Variety", "Trees", "Yield"),
        row("Early russet", "810", "9.4 t"),
    ],
    order=["Orchard Survey", "2,460 apple trees", "on dwarf rootstock", "7.1 t", "Harvest begins"],
)
def write_office_export(path: Path) -> None:
    filters = ("docx:MS Word 2007 XML", "pdf:writer_pdf_Export")
    convert_with_office(OFFICE_PAGE.encode(), ".html", path, *filters)
