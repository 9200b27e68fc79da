"""Facts between the title of a page and its text are kept; bylines and buttons are not."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.facts.title_facts import add_title_facts

TEXT = "The mill has ground the flour of three parishes for as long as anyone can remember."
ARTICLE = "<meta property=og:type content=article>"


def flow(head: str, kind: str = "", title: str = "<h1>The mill</h1>") -> Flow:
    page = f"<head>{kind}</head><body><main>{title}{head}<p>{TEXT}</p></main></body>"
    return build_flow(parse_html(page))


def read_head(found: Flow, chance: float = 0.12) -> list[str]:
    """What is added when the text alone is kept."""
    text = found.texts.index(TEXT)
    values = [chance] * len(found.texts)
    kept = add_title_facts(found, Chances(values, values), [text])
    return [found.texts[index] for index in kept if index != text]


@pytest.mark.parametrize(
    "fact",
    ["$129.00", "From €62,000 a year", "PG-13, 2h 11min", "7.8/10", "Eulenstraße 40, 22765 Hamburg",
     "12 Main St, Salem, OR 97301", "Fore Street, Totnes TQ9 5XX"],
)  # fmt: skip
def test_a_fact_under_the_title_is_kept(fact: str) -> None:
    assert read_head(flow(f"<div><div>{fact}</div></div>")) == [fact]


@pytest.mark.parametrize("name", ["event-venue", "location", "tribe-events-schedule", "address"])
def test_a_line_that_is_called_a_place_or_an_event_is_kept(name: str) -> None:
    assert read_head(flow(f"<div class={name}>Town Hall</div>")) == ["Town Hall"]


def test_what_stands_beside_a_fact_comes_along() -> None:
    head = "<div>Saturday 5 December, 19:30</div><div>Town Hall</div><div>£14</div>"

    assert read_head(flow(head)) == ["Saturday 5 December, 19:30", "Town Hall", "£14"]


@pytest.mark.parametrize(
    "line", ["Quantity:", "Shipping is told at checkout.", "<a href=/r>29 reviews</a>"]
)
def test_controls_sentences_and_links_beside_a_fact_stay_out(line: str) -> None:
    assert read_head(flow(f"<div>$129.00</div><div>{line}</div>")) == ["$129.00"]


def test_in_an_article_nothing_comes_along_with_a_price() -> None:
    head = "<div>From $39.00</div><div class=location>Staff</div>"

    assert read_head(flow(head, ARTICLE)) == ["From $39.00"]


def test_the_authors_of_a_paper_are_kept_with_its_number() -> None:
    head = "<div><a href=/o>M. Okonkwo</a></div><div>https://doi.org/10.5555/jr.2026.14</div>"

    assert read_head(flow(head), 0.02) == ["M. Okonkwo", "https://doi.org/10.5555/jr.2026.14"]


def test_one_sentence_between_title_and_text_is_kept() -> None:
    lead = "Answers to what people ask us most about mills."

    assert read_head(flow(f"<p>{lead}</p>")) == [lead]
    assert not read_head(flow(f"<p>{lead}</p>", ARTICLE))
    assert not read_head(flow("<p>Loading...</p>"))


@pytest.mark.parametrize(
    "head",
    [
        "<div>By Sherif Saed, 20 November 2019 08:05</div>",
        "<div>November 12, 2018 Beachbody</div>",
        "<div>5 min read</div>",
        "<h2>This week, the town told how far it is with the mill for $35 million.</h2>",
        "<a href=/s>Subscribe for $195</a>",
        "<form><div>$129.00</div></form>",
        "<aside>$129.00</aside>",
        "<div hidden>$129.00</div>",
    ],
)
def test_bylines_offers_forms_and_what_is_hidden_stay_out(head: str) -> None:
    assert not read_head(flow(head))


def test_nothing_is_added_where_much_stands_between_title_and_text_or_there_is_no_title() -> None:
    assert not read_head(flow("<div>$129.00</div>" + "<div>Oak</div>" * 12))
    assert not read_head(flow("<div>$129.00</div>", title="<div>The mill</div>"))


def test_what_is_most_unlikely_stays_out() -> None:
    assert not read_head(flow("<div>$129.00</div>"), 0.01)


def test_a_page_without_text_is_left_as_it_is() -> None:
    found = build_flow(parse_html("<h1>The mill</h1><div>$129.00</div>"))

    assert add_title_facts(found, Chances([0.9, 0.9], [0.9, 0.9]), [0]) == [0]


def test_a_table_or_a_list_may_stand_in_place_of_a_text() -> None:
    rows = "<dt>Fuel<dd>Diesel<dt>Doors<dd>5"
    found = build_flow(parse_html(f"<main><h1>Octavia</h1><p>€16,490</p><dl>{rows}</dl></main>"))
    values = [0.2] * len(found.texts)

    assert add_title_facts(found, Chances(values, values), [2, 3, 4, 5]) == [1, 2, 3, 4, 5]
    assert add_title_facts(found, Chances(values, values), [2, 3, 4]) == [2, 3, 4]
