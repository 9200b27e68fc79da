"""The annexes of the long report in the recorded web: a sheet for each site, and tables of monthly
energy.

Every number follows from the site's peak speed by the formulas that the report itself gives, so
that the sheets agree with the chapters and the file is the same whenever it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, pi, sin

PERIOD_HOURS = 12.42
CUT_IN = 1.0
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
BUILT = {  # megawatts, and metres a second
    "Skarvik Sound": (18.0, 3.17),
    "Ellery Race": (12.0, 2.91),
    "Holm Gut": (10.5, 3.02),
    "Strath Narrows": (9.0, 2.58),
    "Carrow Bank": (8.0, 2.74),
}
NAMES = (
    "Skarvik Sound", "Ellery Race", "Holm Gut", "Strath Narrows", "Carrow Bank", "Merrow Sound", "Black Skerry", "The Swelkie",
    "Innis Gap", "Tarf Roads", "Gannet Stack", "Lamb Hole", "Orrin Firth", "Saltpan Channel", "Nun's Passage", "Cold Haven",
    "Brough Deeps", "Kelp Head", "Grey Mare", "The Sluice", "Whitten Reach", "Dunmore Neck", "Sound of Ailsay", "Fiddler's Race",
    "Long Ebb", "Harrow Point", "Seal Gate", "Stony Ford", "Wester Wick", "Bell Rock Bay", "Hollow Sand", "Ferry Narrows",
    "Anvil Point", "Cuddy Sound", "Maiden Bank", "Last Light",
)  # fmt: skip
BEDS = (
    "bare rock",
    "gravel over clay",
    "coarse sand in moving waves",
    "boulders",
    "rock with kelp down to 18 metres",
)
SHORES = (
    "an old quarry {height} metres above the sea lies within a kilometre of the landing place "
    "and could hold a basin",
    "the land behind the shore is flat, so that pumped seawater is out of the question",
    "the cliff is high enough for a basin, but a colony of kittiwakes nests on it from April to "
    "August",
    "the only level ground near the landing place belongs to the ferry company",
)


@dataclass(frozen=True)
class Site:
    """One place where an array stands or could stand."""

    number: int
    name: str
    peak: float  # metres a second, mean spring peak

    @property
    def pause_minutes(self) -> int:
        return round(60 * PERIOD_HOURS / pi * asin(CUT_IN / self.peak))

    @property
    def megawatts(self) -> float:
        return BUILT[self.name][0] if self.name in BUILT else 1.5 * (4 + self.number * 5 % 9)

    @property
    def load(self) -> float:
        return round(self.megawatts / 3, 1)

    @property
    def store(self) -> float:
        return round(self.load * self.pause_minutes / 60 * 2 / 0.84, 1)


def all_sites() -> list[Site]:
    """The sites in the order of the report; where nothing is built, speeds are spread between 2.0
    and 3.4 m/s.
    """
    spread = [round(2.7 + 0.7 * sin(number * 2.399), 2) for number in range(1, len(NAMES) + 1)]
    return [
        Site(number, name, BUILT[name][1] if name in BUILT else speed)
        for number, (name, speed) in enumerate(zip(NAMES, spread, strict=True), 1)
    ]


def annexes() -> str:
    sheets = "\n".join(_sheet(site) for site in all_sites())
    tables = "\n".join(_monthly(site) for site in all_sites())
    return (
        '<h2 id="annex-b">Annex B: sites</h2>\n<p>One sheet for each of the 36 sites, those in '
        "operation first.</p>\n"
        f'{sheets}\n<h2 id="annex-c">Annex C: monthly energy</h2>\n'
        f"<p>Predicted energy for 2027, without and with a store.</p>\n{tables}"
    )


def _sheet(site: Site) -> str:
    bed = BEDS[site.number * 3 % len(BEDS)]
    shore = SHORES[site.number * 7 % len(SHORES)].format(height=50 + site.number * 11 % 40)
    state = (
        "An array has been in operation here since 2023."
        if site.name in BUILT
        else "Nothing has been built here yet."
    )
    rows = {
        "Peak stream at mean springs": f"{site.peak:.2f} m/s",
        "Median pause": f"{site.pause_minutes} min",
        "Capacity, built or proposed": f"{site.megawatts:.1f} MW",
        "Load on shore": f"{site.load:.1f} MW",
        "Store for the short gap": f"{site.store:.1f} MWh",
    }
    table = "".join(
        f"<tr><th scope='row'>{name}</th><td>{value}</td></tr>" for name, value in rows.items()
    )
    return (
        f"<h3 id='site-{site.number}'>B.{site.number} {site.name}</h3>\n<p>{state} The bed is "
        f"{bed}; {shore}. "
        f"With a peak of {site.peak:.2f} m/s the stream is below cut-in speed for "
        f"{site.pause_minutes} minutes around each turn. "
        f"A load of {site.load:.1f} MW could be carried through two pauses in a row by a store "
        f"of {site.store:.1f} MWh. "
        f"{_verdict(site)}</p>\n<table class='data'><tbody>{table}</tbody></table>"
    )


def _verdict(site: Site) -> str:
    if site.name in ("Strath Narrows", "Holm Gut", "Merrow Sound"):
        return "The cable is full on strong tides, or would be: a store is worth its price."
    if site.pause_minutes > 105:
        return "The stream is too weak for a store to be filled between the pauses in the week of neaps."
    return "A larger cable is cheaper than a store, and should come first."


def _monthly(site: Site) -> str:
    rows = []
    for index, month in enumerate(MONTHS):
        plain = (
            site.megawatts
            * 730
            / 1000
            * (0.27 + 0.03 * sin((index + 2) * pi / 3) + (site.peak - 2.7) * 0.12)
        )
        rows.append(
            f"<tr><td>{month}</td><td>{plain:.2f}</td><td>{plain * 1.17:.2f}</td><td>{plain * 0.17:.2f}</td></tr>"
        )
    head = "<tr><th>Month</th><th>Without store (GWh)</th><th>With store (GWh)</th><th>Difference (GWh)</th></tr>"
    return f"<h3>C.{site.number} {site.name}</h3>\n<table class='data'><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
