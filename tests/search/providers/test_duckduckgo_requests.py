"""DuckDuckGo: what is asked, in its own words, on the first page and on further ones."""

from __future__ import annotations

import pytest

from tests.search.providers.duckduckgo_pages import HTML, box, fields, page
from tests.search.replies import recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.duckduckgo import DuckDuckGo
from webquarry.settings import Settings

FORM = {
    "q": "tidal turbine seal wear",
    "s": "10",
    "nextParams": "",
    "v": "l",
    "o": "json",
    "dc": "11",
    "api": "d.js",
    "vqd": "4-100000000000000000000000000000000000001",
    "kl": "us-en",
}


@pytest.fixture
def duckduckgo() -> DuckDuckGo:
    return DuckDuckGo.configure(Settings.from_environment({}), {})


# Requests


def test_the_first_page_is_asked_for_as_the_page_does_it_itself(duckduckgo: DuckDuckGo) -> None:
    request = duckduckgo.build_request(Query("tidal turbine"))

    assert (request.method, str(request.url)) == ("POST", "https://html.duckduckgo.com/html/")
    assert fields(request) == {"q": "tidal turbine", "b": ""}
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert request.headers["referer"] == "https://html.duckduckgo.com/"
    assert request.headers["sec-fetch-mode"] == "navigate"
    assert request.headers["accept-language"] == "en,*;q=0.5"


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="day"), {"df": "d"}),
        (Query("x", safe="high"), {"kp": "1"}),
        (Query("x", language="de"), {"kl": "de-de"}),
        (Query("x", country="GB"), {"kl": "uk-en"}),
        (Query("x", language="fr", country="CH"), {"kl": "ch-fr"}),
        (Query("x", language="zh", country="TW"), {"kl": "tw-tzh"}),
        (Query("x", language="en", country="DE"), {"kl": "us-en"}),
        (Query("x", language="eo"), {}),
        (
            Query("x", exact_terms="pitch seal", exclude_terms="forum shop"),
            {"q": 'x "pitch seal" -forum -shop'},
        ),
        (Query("x", allowed_domains=("a.org", "b.org")), {"q": "x site:a.org OR site:b.org"}),
        (Query("x", blocked_domains=("a.org",)), {"q": "x -site:a.org"}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_duckduckgos_words(
    duckduckgo: DuckDuckGo, query: Query, sent: dict[str, str]
) -> None:
    assert fields(duckduckgo.build_request(query)) == {"q": "x", "b": ""} | sent


@pytest.mark.parametrize(
    ("language", "country", "held"),
    [
        ("de", "AT", {"language", "country"}),
        ("en", "DE", {"language"}),
        ("eo", "DE", {"country"}),
        ("nb", "NO", {"language", "country"}),
        ("eo", "AQ", set()),
    ],
)
def test_a_region_says_which_of_the_two_wishes_it_fulfils(
    duckduckgo: DuckDuckGo, language: str, country: str, held: set[str]
) -> None:
    assert (
        duckduckgo.applied(Query("x", language=language, country=country)) & {"language", "country"}
        == held
    )


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("!w otter", '"!w" otter'),
        ("otter !g", 'otter "!g"'),
        ('!"w otter', '"!w" otter'),
        ("\\otter", '"\\otter"'),
        ('"!w otter" x', '"!w otter" x'),
        ("Yahoo! a!b", "Yahoo! a!b"),
    ],
)
def test_a_bang_is_a_word_and_no_command(duckduckgo: DuckDuckGo, text: str, sent: str) -> None:
    assert fields(duckduckgo.build_request(Query(text)))["q"] == sent


# Paging


def test_the_next_page_is_asked_for_with_every_hidden_field_of_its_form(
    duckduckgo: DuckDuckGo,
) -> None:
    batch = duckduckgo.parse_reply(recorded_reply("duckduckgo/ok_200"))
    request = duckduckgo.build_request(
        Query("tidal turbine seal wear", page=1, cursor=batch.cursor)
    )

    assert batch.more is True
    assert fields(request) == FORM
    assert str(request.url) == "https://html.duckduckgo.com/html/"


def test_a_page_of_the_second_way_is_followed_by_the_same_way(duckduckgo: DuckDuckGo) -> None:
    batch = duckduckgo.parse_reply(recorded_reply("duckduckgo/ok_200_lite"))
    request = duckduckgo.build_request(
        Query("tidal turbine seal wear", page=1, cursor=batch.cursor)
    )

    assert str(request.url) == "https://lite.duckduckgo.com/lite/"
    assert fields(request) == FORM | {"kl": "wt-wt"}


@pytest.mark.parametrize(
    ("forms", "offset"),
    [
        ([("Previous", "0"), ("Next", "25")], "25"),
        ([("Previous", "10")], None),
        ([("Weiter", "10")], "10"),
        ([("Zurück", "0")], None),
    ],
)
def test_only_a_form_that_leads_onwards_is_the_next_page(
    duckduckgo: DuckDuckGo, forms: list[tuple[str, str]], offset: str | None
) -> None:
    links = "".join(
        f'<div class="nav-link"><form action="/html/"><input type="submit" value="{label}">'
        f'<input type="hidden" name="s" value="{start}"></form></div>'
        for label, start in forms
    )
    batch = duckduckgo.parse_reply(
        reply(page(box("https://a.example/"), links=links), headers=HTML)
    )

    assert batch.cursor.get("s") == offset
    assert batch.more is (offset is not None)
