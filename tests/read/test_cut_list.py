"""Lists that continue elsewhere are reported; complete lists and other counts are not."""

from __future__ import annotations

import pytest

from tests.read.invented import article, page, paragraphs
from tests.read.test_outcome import read_as
from webquarry._read.html.parse import parse_html
from webquarry._read.outcome.lists import has_later_page

_THINGS = ("Rope", "Cleat", "Winch", "Fender", "Anchor", "Shackle", "Block", "Compass")


def items(count: int = 24) -> str:
    """A list of products."""
    written = []
    for number in range(count):
        name = f"{_THINGS[number % len(_THINGS)]}, size {number + 1}"
        written.append(
            f"<li class='product'><h3><a href='/p/{number}'>{name}</a></h3>"
            f"<p>For boats of up to {number + 6} metres, made in the yard.</p><span>€{number + 9}.50</span></li>"
        )
    return f"<ul class='products'>{''.join(written)}</ul>"


def shop(before: str = "", after: str = "", *, count: int = 24, head: str = "") -> str:
    content = f"<h1>Deck gear</h1>{before}{items(count)}{after}"
    return page(content, title="Deck gear", head=head)


NEXT = "<link rel='next' href='?page=2'>".replace("'", '"')
CUT = {
    "showing": shop("<p>Showing 24 of 1,312 products</p>"),
    "noun-first": shop("<p>Products 1-24 of 37</p>"),
    "viewed": shop(after="<p>You've viewed 24 of 158 products</p>"),
    "page-of": shop(after="<div class='pager'>Page 1 of 9</div>"),
    "page-of-in-navigation": shop(
        after="<nav><span>Page 1 of 9</span><a href='?page=2' rel=\"next\">Next</a></nav>"
    ),
    "numbers-in-navigation": shop(
        after="<nav class='pagination'><b>1</b><a href='?page=2'>2</a>"
        "<a href='?page=2' rel=\"next\">Next</a></nav>"
    ),
    "load-more": shop(after="<button>Load more</button>"),
    "show-more-products": shop(after="<a class='more' href='?page=2'>Show more products</a>"),
    "german": shop("<p>1-24 von 1.312 Artikeln</p>"),
    "german-page": shop(after="<p>Seite 2 von 9</p>"),
    "french": shop("<p>24 sur 312 résultats</p>"),
    "spanish": shop("<p>Mostrando 1-24 de 312 productos</p>"),
    "italian": shop("<p>24 di 312 prodotti</p>"),
    "portuguese": shop("<p>Exibindo 24 de 312 itens</p>"),
    "polish": shop("<p>Pokazano 24 z 312 produktów</p>"),
    "russian": shop("<p>Показано 24 из 312 товаров</p>"),
    "japanese": shop("<p>312件中 1-24件</p>"),
    "chinese": shop(after="<p>第 1 页 / 共 9 页</p>"),
    "next-in-head": shop(head=NEXT),
    "numbers-in-a-list": shop(
        after="<nav><ul class='pagination'><li class='active'><a href='?page=1'>1</a></li>"
        "<li><a href='?page=2'>2</a></li><li><a href='?page=2' aria-label='Next'>»</a></li></ul></nav>"
    ),
    "next-by-its-class": shop(
        after="<div><span class='page-numbers current'>1</span>"
        "<a class='next page-numbers' href='/some/page/page/2/'>Next</a></div>"
    ),
    "older-posts": shop(after="<nav><a href='/page/2/'>← Older posts</a></nav>"),
    "article-in-pages": article(6, "<p class='pages'>Page 1 of 4</p>"),
}
WHOLE = {
    "all-shown": shop("<p>Showing 1-24 of 24 products</p>"),
    "last-page": shop(after="<p>Page 9 of 9</p>"),
    "a-number-alone": shop("<p>24 products</p>"),
    "comments": article(
        5, "<h2>Comments</h2><p>Showing 5 of 48 comments</p><button>Load more</button>"
    ),
    "more-comments": shop(after="<button>Load more comments</button>"),
    "one-page": shop(after="<ul class='pagination'><li><a href='?page=1'>1</a></li></ul>"),
    "pages-of-comments": shop(
        after="<div class='comments-pagination'><a href='?page=2'>2</a></div>"
    ),
    "pages-of-something-else": shop(
        after="<div class='pagination'><a href='/some/other/list?page=2'>2</a></div>"
    ),
    "pages-below-an-article": article(
        5, "<ul class='pagination'><li><a href='?page=2'>2</a></li></ul>", head=NEXT
    ),
    "filters": shop(
        "<aside><ul><li><label>Hemp</label></li><li><label>Nylon</label></li>"
        "<li><label>Steel</label></li></ul><button>Show more</button></aside>"
    ),
    "pictures": article(5, "<figure><img src='a.jpg'><figcaption>1 of 12</figcaption></figure>"),
    "helpful": article(5, "<p>12 of 30 people found this helpful</p>"),
    "related-below": article(
        8, "<h2>Related</h2><a href='/a'>A quay in winter</a><button>Load more</button>"
    ),
    "about-buttons": article(
        4,
        "<h2>The label</h2><p>A button that says “Load more” is clearer than an endless page. People who"
        " see “Showing 24 of 1,312 products” know where they stand.</p>",
    ),
    "docs-of-a-pager": article(
        3, "<pre><code>Page 1 of 9\nShowing 24 of 1,312 products</code></pre>" + paragraphs(2)
    ),
    "next-article": article(
        5, "<nav><a rel=\"next\" href='/2026/09/ferry'>Next: the ferry</a></nav>", head=NEXT
    ),
    "next-page-of-an-index-elsewhere": article(
        5, "<nav><a rel=\"next\" href='https://index.example/?page=2'>Next</a></nav>"
    ),
}


@pytest.mark.parametrize("body", CUT.values(), ids=CUT)
def test_incomplete_list_is_reported(body: str) -> None:
    read = read_as(body, "main")

    assert read.outcome == "cut_list"
    assert read.notes[-1].startswith("There is more than is shown: the page ")


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_other_counts_are_not_reported(body: str) -> None:
    read = read_as(body, "main")

    assert (read.outcome, read.notes) == ("ok", ())


PAGES = "".join(
    f"<a class='page-numbers' href='?page={number}'>{number}</a>" for number in (7, 8, 9)
)


@pytest.mark.parametrize(("number", "goes_on"), [(1, True), (8, True), (9, False)])
def test_last_page_of_a_list_has_no_later_page(number: int, goes_on: bool) -> None:
    document = parse_html(f"<body>{items()}<div>{PAGES}</div>")

    assert has_later_page(f"https://site.example/gear?page={number}", document) is goes_on


def test_note_contains_the_counts() -> None:
    assert read_as(CUT["showing"], "main").notes == (
        "There is more than is shown: the page shows 24 of 1,312.",
    )
    assert read_as(CUT["page-of"], "main").notes == (
        "There is more than is shown: the page is page 1 of 9.",
    )
