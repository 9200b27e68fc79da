"""HTML and plain text of objects in notebooks: nothing from the web becomes markup."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webquarry
from webquarry.ask.models import AnswerSource, ModelReply, Progress, ReplyError, Usage
from webquarry.notebook.asking import AskedRows
from webquarry.notebook.html import render_markdown
from webquarry.sql.session import SqlResult
from webquarry.sql.setters import Bill
from webquarry.tools.research._search import SearchOutput, SearchResult
from webquarry.tools.research.academic_search import PaperResult, PapersOutput
from webquarry.tools.research.patent_search import PatentResult, PatentSearchOutput

EXAMPLES = int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "40"))
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'>&lt;b&gt; `code` **bold** "
    "[click](javascript:alert(1)) ![p](https://t.example/p.png) | cell |\n# head\n"
    "$\\href{javascript:alert(1)}{x}$ \u202egnp.exe\x1b[31m\x00 https://bare.example"
)
BAD_URL = "javascript:alert(document.domain)//https://a.example"
ODD_URL = "https://a.example/\"onmouseover=alert(1) x='><script>alert(1)</script>"
ALLOWED = {
    "div", "style", "a", "ol", "li", "strong", "em", "s", "table", "thead", "tbody", "tr", "th",
    "td", "pre", "code", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "blockquote", "br", "hr",
}  # fmt: skip


class Outline(HTMLParser):
    """The tags of a document with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def check_html(html: str) -> Outline:
    """Only tags of ours, no handlers, and links to the web alone, which open elsewhere."""
    outline = Outline(html)
    for tag, attributes in outline.tags:
        assert tag in ALLOWED, tag
        for name, value in attributes.items():
            assert name in {"class", "href", "target", "rel", "style", "start"}, (tag, name)
            assert name != "style" or re.fullmatch(r"text-align:(left|right|center)", value or "")
        if "href" in attributes:
            assert re.match(r"https?://", attributes["href"] or ""), attributes
            assert attributes["rel"] == "noopener noreferrer"
            assert attributes["target"] == "_blank"
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "\x00" not in html
    return outline


def make_result(text: str, url: str) -> SearchResult:
    return SearchResult(
        title=text, url=url, snippet=text, display_link=text, claim_signal=text, published_at=text
    )


def make_things(text: str, url: str) -> dict[str, Any]:
    """One of each kind, made of this text and this address."""
    reply = ModelReply(
        text,
        (AnswerSource(text, url), AnswerSource("", url)),
        usage=Usage(2, 100, 50, 0, 1, 0.0123, unpriced_calls=1),
        partial=True,
        model=text,
        search_failed=text,
    )
    failed = ModelReply(None, error=ReplyError("server", text))
    paper = PaperResult(title=text, url=url, authors=[text], journal=text, abstract=text,
                        pdf_url=url, source="arxiv")  # fmt: skip
    patent = PatentResult(title=text, number=text, url=url, assignee=text, abstract=text)
    row = {
        "day": "2026-11-10", "begun_at": datetime(2026, 11, 10, 9), "statement": text, "door": text,
        "sql": text, "model": text, "questions": 3, "hits": 1, "calls": 2, "searches": 1,
        "kept_searches": 0, "input_tokens": 10, "output_tokens": 5, "cached_tokens": 0, "usd": 0.5,
        "uncertain_usd": 0.0,
    }  # fmt: skip
    cells = (text, url, [{"title": text, "url": url}], {"a": text}, b"x", None, 1.5)
    return {
        "results": SearchOutput(
            urls=[url], query=text, result_count=1, results=[make_result(text, url)]
        ),
        "papers": PapersOutput(query=text, result_count=1, papers=[paper]),
        "patents": PatentSearchOutput(patents=[patent], query=text, result_count=1),
        "reply": reply,
        "failed": failed,
        "typed": ModelReply(text, value={"name": text}),
        "table": SqlResult(
            tuple(text + str(n) for n in range(7)),
            ("VARCHAR",) * 7,
            [cells],
            Progress(rows=1, done=1),
        ),
        "asked_rows": AskedRows(text, [text, None], [reply, None], Progress(rows=1, done=1)),
        "bill": Bill([row]),
    }


THINGS = make_things(HOSTILE, ODD_URL) | {
    f"bad {name}": thing for name, thing in make_things(HOSTILE, BAD_URL).items()
}


@pytest.mark.parametrize("name", THINGS)
def test_hostile_words_and_addresses_are_shown_and_never_obeyed(name: str) -> None:
    shown = THINGS[name]._repr_mimebundle_()

    assert shown.keys() == {"text/html", "text/plain"}
    outline = check_html(shown["text/html"])
    assert "<script>alert(1)</script>" in outline.text, "it is shown as it was written"
    assert "\x1b" not in shown["text/plain"]


@settings(max_examples=EXAMPLES)
@given(st.text(max_size=60), st.text(max_size=40))
def test_fuzz_no_text_becomes_markup(text: str, address: str) -> None:
    for thing in make_things(text, f"https://{address}").values():
        check_html(thing._repr_html_())


@settings(max_examples=EXAMPLES)
@given(st.text(alphabet="<>&\"'`*_[](){}!#|\\\n$-+.:1ax/ ", max_size=80))
def test_fuzz_no_markdown_of_a_page_becomes_more_than_its_form(text: str) -> None:
    check_html(render_markdown(text))


def test_a_page_loads_no_picture_and_its_links_lead_to_the_web_alone() -> None:
    html = render_markdown(
        "![a cat](https://t.example/c.png) [in](/a) [out](https://b.example) <b>x</b> &#27;[31m"
    )

    outline = check_html(f"<div>{html}</div>")
    assert [attributes["href"] for tag, attributes in outline.tags if "href" in attributes] == [
        "https://b.example"
    ]
    assert "[a cat]" in outline.text
    assert "<b>x</b>" in outline.text


def test_prices_are_not_formulas() -> None:
    shown = ModelReply("It costs $5 or $6.")._repr_mimebundle_()

    assert 'class="webquarry tex2jax_ignore mathjax_ignore"' in shown["text/html"]


def test_long_texts_and_tables_are_cut_and_say_so() -> None:
    reply = ModelReply("word " * 20_000)
    rows = [(number,) for number in range(1000)]
    result = SqlResult(("n",), ("BIGINT",), rows, Progress())

    assert len(reply._repr_html_()) < 60_000
    assert "80,000 characters more" in reply._repr_html_()
    assert result._repr_html_().count("<tr>") == 51
    assert "1,000 rows · 950 more are in .rows" in result._repr_html_()


@pytest.fixture
def on_the_recorded_web(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("BRAVE_API_KEY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path))


@pytest.mark.usefixtures("on_the_recorded_web")
def test_answers_are_shown_with_links() -> None:
    found = webquarry.search("tidal energy storage")
    page = webquarry.read("https://tidelines.example/2026/09/storing-the-tide")
    cited = webquarry.cite(page.url, style="bibtex")

    for answer in (found, page, cited):
        shown = answer._repr_mimebundle_()
        check_html(shown["text/html"])
        assert f'<a href="{page.url}"' in shown["text/html"]
    assert "author: Ines Calloway" in page._repr_html_()
    assert "<h2>Predictable, and still not steady</h2>" in page._repr_html_()
    assert "@misc{calloway2026storing" in cited._repr_html_()


@pytest.mark.usefixtures("on_the_recorded_web")
def test_a_research_session_is_shown_with_its_steps_and_sources() -> None:
    first = webquarry.call(
        "sequential_search", searchStep="Look at tides", stepNumber=1, nextStepNeeded=True,
        researchGoal="Keep tidal power",
    )  # fmt: skip
    webquarry.search("tidal energy storage", sessionId=first.session_id)
    session = webquarry.call("get_research_session", sessionId=first.session_id)

    html = session._repr_html_()
    check_html(html)
    assert "Keep tidal power" in html
    assert "Look at tides" in html
    assert '<a href="https://tidelines.example/2026/09/storing-the-tide"' in html
    check_html(first._repr_html_())


def test_a_sql_session_is_shown_with_its_model_and_limits() -> None:
    with webquarry.sql.open() as session:
        shown = session._repr_mimebundle_()

    assert "in memory" in shown["text/plain"]
    assert "max usd: 10" in shown["text/plain"]
    check_html(shown["text/html"])


def test_a_bill_is_still_a_list_of_dicts() -> None:
    bill: Bill = THINGS["bill"]

    assert isinstance(bill, list)
    assert json.dumps([row["usd"] for row in bill]) == "[0.5]"
    assert "0.5000 USD" in bill._repr_html_()


def test_neither_the_library_nor_the_sql_functions_load_ipython() -> None:
    code = (
        "import sys, webquarry, webquarry.sql; webquarry.load_ipython_extension\n"
        "webquarry.read_all([])\nprint('IPython' in sys.modules, 'markdown_it' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
