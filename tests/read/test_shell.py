"""Pages that need their scripts, and pages that only have some."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx2
import pytest

from webquarry._read.models import Page
from webquarry._read.reply import read_reply
from webquarry.errors import ScriptPage
from webquarry.net.models import Reply

SENTENCE = (
    "The pilot reads the second column of the table first, because the water waits for none. "
)
HEAD = "<!doctype html><html lang=en><head><title>Tides</title></head>"
NAV = "<nav>" + "".join(f"<a href=/{n}>Part number {n} of it</a> " for n in range(40)) + "</nav>"


def read(body: str, *, rendered: bool = False) -> Page:
    reply = Reply(
        "https://site.example/page",
        200,
        httpx2.Headers({"content-type": "text/html; charset=utf-8"}),
        (HEAD + body).encode(),
        datetime(2026, 3, 1, tzinfo=UTC),
    )
    return read_reply(reply.url, reply, "main", is_rendered=rendered)


def need_of(body: str) -> str:
    """What a page needs of its scripts; one that shows nothing at all needs them."""
    try:
        return read(body).need
    except ScriptPage:
        return "must"


SHELLS = {
    "an empty mount": "<div id=root></div><script src=/app.js></script>",
    "an empty mount below a menu": "<a href=/>Home</a><div id=app></div><script src=/a.js></script>",
    "an empty main": "<header>Harbor office</header><main id=m></main><script>m.innerHTML = x</script>",
    "a skeleton": "<h1>Prices</h1><ul><li class='skeleton row'>Placeholder</li></ul>"
    "<script>document.querySelector('ul').innerHTML = rows</script>",
    "a line that it loads": "<h1>Well</h1><p>Fetching the record…</p><script src=/w.js></script>",
    "a list to be filled": "<h1>Lighthouses of the coast</h1><ul id=list></ul><script>fetch('/l')"
    ".then(r => r.json()).then(l => document.getElementById('list').append(...l))</script>",
    "a template": "<div id=v><h1>{{ station.name }}</h1><p>The wind was {{ wind }} metres.</p></div>"
    "<script src=/vue.js></script>",
    "a template of another kind": "<h1><%= title %></h1><p>By <%= author %> on <%= date %></p>"
    "<script src=/t.js></script>",
    "a request for scripts": "<p>Please enable JavaScript to use this app.</p><script src=/a.js>"
    "</script>",
    "a request in noscript": "<noscript>You need JavaScript to run this app.</noscript>"
    "<div id=x></div><script>x.textContent = 'words'</script>",
    "a redirect": "<p>You are being redirected</p><script>setTimeout(() => location.replace('/b'))"
    "</script>",
    "a silent redirect": "<script>window.location.href = '/elsewhere'</script><p>Moved</p>",
    "document.write": "<script>document.write('<p>words</p>')</script><p>And this.</p>",
    "elements of its own": "<h1>Ledger</h1><fruit-card>A note on the tree.</fruit-card><script>"
    "customElements.define('fruit-card', class extends HTMLElement {})</script>",
    "a dialog and no article": "<h1>We value your privacy</h1><p>We and our partners use cookies to "
    "store information and personal data on your device for advertising.</p><button>Accept all"
    "</button><script src=/cmp.js></script><div id=story></div>",
    "a menu around an empty main": NAV[:900] + "</nav><main></main><script src=/a.js></script>",
    "a redirect of the body": "<body onload=\"location.replace('/next')\"><p>One moment, please</p>",
    "a form that sends itself": "<form action=/next method=post><input type=hidden name=a></form>"
    "<p>Going on</p><script>document.forms[0].submit()</script>",
    "a large menu around an empty mount": NAV + "<div id=root></div><script src=/app.js></script>"
    f"<footer><p>{SENTENCE}</p></footer>",
}
PAGES = {
    "an article": f"<article><h1>Tides</h1><p>{SENTENCE * 8}</p></article><script src=/a.js></script>",
    "an article that counts visits": f"<h1>Tides</h1><p>{SENTENCE * 4}</p><script async "
    "src=https://www.googletagmanager.com/gtag/js></script>",
    "an article about templates": f"<h1>Vue</h1><p>{SENTENCE * 9}</p><pre><code>"
    "&lt;p>{{ name }} {{ wind }} {{ hour }}&lt;/p></code></pre><p>Write <code>{{ x }}</code> there.</p>"
    "<script src=/a.js></script>",
    "a notice without scripts": "<h1>Closed</h1><p>The office is closed today.</p>",
    "an article below a dialog": f"<div role=dialog><h2>We value your privacy</h2><p>Cookies.</p>"
    f"<button>Accept all</button></div><article><h1>Tides</h1><p>{SENTENCE * 30}</p></article>"
    "<script src=/cmp.js></script>",
    "a template that nobody fills": "<p>Hello {{ name }}, your {{ thing }} is here.</p>",
}


@pytest.mark.parametrize("name", SHELLS)
def test_page_filled_by_scripts_is_not_ok(name: str) -> None:
    assert need_of(SHELLS[name]) == "must"


@pytest.mark.parametrize("name", PAGES)
def test_page_with_text_needs_no_scripts(name: str) -> None:
    assert need_of(PAGES[name]) == ""


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Log</h1><p>{SENTENCE}</p><script>setInterval(() => fetch('/poll'), 100)</script>",
        f"<h1>Log</h1><p>{SENTENCE * 6}</p><p>Loading the list…</p><script src=/a.js></script>",
        "<h1>Minutes</h1><p>Of the council, in two parts, as they were kept.</p>"
        "<iframe src=/minutes.html></iframe>",
    ],
)
def test_page_whose_scripts_may_add_text_is_read(body: str) -> None:
    page = read(body)

    assert (page.outcome, page.need) == ("ok", "may")


@pytest.mark.parametrize("body", ["<div id=root></div>", "<p>Loading…</p>"])
def test_shell_after_rendering_raises(body: str) -> None:
    with pytest.raises(ScriptPage, match="scripts have run"):
        read(body, rendered=True)


def test_short_rendered_page_is_ok() -> None:
    assert read("<h1>Arrived</h1><p>The ferry is in.</p>", rendered=True).need == ""
