"""Pages with random damage: each is read whole and for its main part, or ends in an error of ours;
nothing else happens.
"""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from tests.read.documents.test_fuzz import damaged
from webquarry._read.format import Selection
from webquarry._read.models import Page
from webquarry._read.reply import read_reply
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

EXAMPLES = int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "600"))
PAGES = sorted(Path(__file__).parent.glob("pages/*/*.html")) + sorted(
    Path(__file__).parent.glob("*/page*.html")
)
CONTROLS = [chr(code) for code in range(32) if chr(code) not in "\n\t"]


def read(body: bytes, selection: Selection) -> Page | WebquarryError:
    headers = httpx2.Headers({"content-type": "text/html"})
    url = "https://site.example/a"
    try:
        return read_reply(
            url, Reply(url, 200, headers, body, datetime(2026, 11, 1, tzinfo=UTC)), selection
        )
    except WebquarryError as error:
        return error


@pytest.mark.parametrize("selection", ["whole", "main"])
def test_fuzz_a_damaged_page_is_read_or_is_an_error_of_ours(selection: Selection) -> None:
    chance = random.Random(2026)
    texts = 0
    for _ in range(EXAMPLES // 2):
        outcome = read(damaged(chance.choice(PAGES).read_bytes(), chance), selection)
        if isinstance(outcome, Page):
            texts += 1
            assert not any(control in outcome.markdown for control in CONTROLS)
            outcome.markdown.encode()
    assert texts > EXAMPLES // 10  # most of the damage leaves something to read
