"""The walk that makes a flat list of blocks."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow


def flow(body: str, head: str = "") -> Flow:
    return build_flow(parse_html(f"<html><head>{head}</head><body>{body}</body></html>"))


def test_inline_tags_add_to_a_block_and_boxes_end_it() -> None:
    assert flow("<div>One <b>two</b> <a href=/x>three</a><p>four</p>five</div>").texts == [
        "One two three",
        "four",
        "five",
    ]


@pytest.mark.parametrize(
    "chrome",
    [
        "<nav>menu</nav>",
        "<div role=navigation>menu</div>",
        "<footer>imprint</footer>",
        "<header>logo</header>",
        "<dialog open>hello</dialog>",
        "<div role=dialog>hello</div>",
        "<select><option>one</select>",
        "<script>x()</script>",
        "<button>Buy</button>",
        "<template><p>later</p></template>",
    ],
)
def test_elements_without_content_make_no_block(chrome: str) -> None:
    assert flow(f"{chrome}<p>text</p>").texts == ["text"]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("<header><h1>Title</h1></header>", ["Title"]),
        ("<article><footer>Source: us</footer></article>", ["Source: us"]),
        ("<noscript><p>thread</p></noscript>", ["thread"]),
        ("<button class=accordion-button aria-expanded=false>Question</button>", ["Question"]),
        ("<h2><button>Question</button></h2>", ["Question"]),
    ],
)
def test_what_may_be_the_point_of_a_page_stays(body: str, texts: list[str]) -> None:
    assert flow(body).texts == texts


ANSWER = "We take them back within thirty days, at our own cost."


@pytest.mark.parametrize(
    "body",
    [
        "<dl><dt><button class=flex aria-expanded=false aria-controls=d1><span>Can I send it back"
        f"</span><svg></svg></button></dt><dd id=d1 hidden>{ANSWER}</dd></dl>",
        f"<dl><dt><button>Can I send it back</button></dt><dd>{ANSWER}</dd></dl>",
        "<div class=Row_x1><button class=Head_9s aria-expanded=false>Can I send it back</button>"
        f"<div class=Body_2a><p>{ANSWER}</p></div></div>",
        "<div><div><button aria-controls=b>Can I send it back</button><i></i></div>"
        f"<div id=b><p>{ANSWER} <a href=/r>Returns</a></p></div></div>",
    ],
    ids=["term", "plain-term", "hashed-names", "in-a-box"],
)
def test_a_button_before_the_text_that_it_opens_is_its_title(body: str) -> None:
    assert flow(body).texts[0] == "Can I send it back"


@pytest.mark.parametrize(
    "question", ["Can I send it back?", "返品はできますか？", "هل يمكن الإرجاع؟"]
)
def test_a_button_that_is_a_question_before_its_answer_stays(question: str) -> None:
    body = f"<div><button class=q><span>{question}</span></button><div>{ANSWER}</div></div>"

    assert flow(body).texts == [question, ANSWER]


@pytest.mark.parametrize(
    "body",
    [
        "<button aria-expanded=false>Products</button><ul><li><a href=/1>Ropes and lines</a></ul>",
        "<button aria-expanded=false>Price range</button><div><input type=checkbox> up to ten"
        " euros for each metre</div>",
        f"<button class=menu-button aria-expanded=false>All pages</button><div>{ANSWER}</div>",
        f"<button aria-expanded=false>Show more</button><div>{ANSWER}</div>",
        f"<button aria-haspopup=dialog aria-expanded=false>Our offer</button><div>{ANSWER}</div>",
        f"<header><h1>T</h1><button aria-expanded=false>Our offer</button><p>{ANSWER}</p></header>",
        f"<button>Put into the basket</button><div>{ANSWER}</div>",
        "<button>Need help?</button>",
    ],
    ids=["menu", "filter", "named-menu", "more", "dialog", "header", "order", "no-answer"],
)
def test_a_button_that_names_no_text_makes_no_block(body: str) -> None:
    start = body.index("<button")
    label = body[body.index(">", start) + 1 : body.index("</button>")]

    assert label not in flow(f"{body}<p>text</p>").texts


def test_a_block_of_code_is_one_block_whatever_boxes_are_in_it() -> None:
    assert flow("<pre><div>a = 1</div><div>b = 2</div></pre>").texts == ["a = 1b = 2"]


def test_title_and_metadata_are_read() -> None:
    found = flow("<p>x</p>", "<title> A  title </title><meta property=og:type content=article>")

    assert (found.title, found.is_article) == ("A title", 1)


def test_page_as_deep_as_the_parser_allows_is_walked_through() -> None:
    assert "deep" in " ".join(flow("<div>" * 2_000 + "deep").texts)
