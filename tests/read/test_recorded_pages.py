"""Pages of the recorded web come out whole: what a reader came for is there, in its order, and the
frame of the site is not.
"""

from __future__ import annotations

import asyncio
import re
from functools import cache

import pytest

from tests.search.engines import HOMELESS
from webquarry._read.models import Page
from webquarry.toolkit import Toolkit

RECORDED = HOMELESS | {"WEBQUARRY_REPLAY": "demo"}
DOCS = "https://docs.tidemill.example/en/stable/"
SHOP = "https://shop.chandlery.example/batteries"
WIKI = "https://wiki.openwaters.example/wiki"
STATS = "https://stats.marine-office.example/tidal/generation-2025"
STORY = "https://tidelines.example/2026/09/storing-the-tide"
FORUM = "https://forum.harbourworks.example"


@cache
def read(url: str) -> Page:
    async def work() -> Page:
        async with Toolkit.open(environ=RECORDED) as kit:
            return await kit.reader.read(url, selection="main")

    return asyncio.run(work())


def find_places(text: str, wanted: list[str]) -> list[int]:
    """Where each of some texts begins; -1 for one that is not there. Neither link targets and
    escapes nor the blanks around cells count.
    """
    text = text.replace("\xa0", " ")
    text = re.sub(r"\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)", r"\1", text)
    text = re.sub(r"\\([^\w\s])", r"\1", text)
    plain = text.replace(" | ", "|").replace("| ", "|").replace(" |", "|")
    return [plain.find(one) for one in wanted]


WHOLE: dict[str, tuple[list[str], list[str]]] = {
    DOCS: (
        [
            "tidemill is a small Python library",
            "## Installation",
            "$ pip install tidemill",
            "Python 3.11 or newer is needed, and nothing else.",
            "## A first look",
            'site = tidemill.Site.load("strath-narrows")\nprint(site.next_slack())',
            "Go on with the storage guide or the reference of",
        ],
        ["Copyright", "Search docs", "Next"],
    ),
    SHOP: (
        [
            "Deep-cycle and flow batteries",
            "Slack Water 48 V flow battery, 10 kWh",
            "€6,490.00",
            "Buoy 12 V sealed battery, 40 Ah",
            "€89.00",
            "Cabin 12 V lithium battery, 100 Ah",
            "€449.00",
            "Harbour 48 V lithium rack, 5 kWh",
            "€1,980.00",
        ],
        ["Filter", "your first order", "Cart", "Imprint", "change your mind"],
    ),
    f"{WIKI}/Tidal_energy_storage": (
        [
            "|Commissioned|17 March 2026|",
            "can be predicted years ahead.[^1]",
            "it lasts 90 minutes.[^2]",
            "|Hydrogen|32 %|unlimited|long gap|",
            "from 31 % to 9 %.[^3]",
            "## References",
            '[^1]: Marine Office (July 2026). "Tidal storage outlook 2026".',
            '[^2]: "How do I size storage for a turbine that stops at slack water?"',
            "[^3]: Calloway, Ines (14 September 2026).",
        ],
        ["Navigation menu", "Main page", "Drafts", "written by volunteers"],
    ),
    STATS: (
        [
            "## Main points",
            "|Carrow Bank|South|4|8.0|19.6|15.2 [^1]|",
            "|Total||37|57.5|148.6|18.6|",
            "Provisional: metered at the shore station only.",
            "## Table 2: Generation by quarter",
            "+6.2|",
            "Generation is metered at the point of connection.",
        ],
        ["Is this page useful?", "essential cookies", "Skip to main content"],
    ),
    STORY: (
        [
            "Tidal turbines stand still four times a day.",
            "The battery on the quay of Port Ellery.",
            "At twenty to four in the afternoon",
            "has started to come earlier.",
            "Correction, 15 September",
        ],
        ["Read next", "The seal is called Bernard", "38,000 readers", "Most read"],
    ),
    f"{FORUM}/c/marine-energy": (
        ["|Antifouling for blade roots|14|890|August 19, 2026|", "|Welcome to the Harbourworks"],
        ["Powered by"],
    ),
}


@pytest.mark.parametrize("url", WHOLE)
def test_a_recorded_page_comes_out_whole_and_without_its_frame(url: str) -> None:
    text = read(url).markdown
    wanted, unwanted = WHOLE[url]

    places = find_places(text, wanted)

    assert [one for one, place in zip(wanted, places, strict=True) if place < 0] == []
    assert places == sorted(places)
    assert [one for one in unwanted if one in text] == []


@pytest.mark.parametrize("url", WHOLE)
def test_no_mark_of_a_recorded_page_is_without_its_note(url: str) -> None:
    text = read(url).markdown

    marks = {piece.partition("]")[0] for piece in text.split("[^")[1:]}

    assert [mark for mark in marks if f"\n[^{mark}]: " not in text] == []
