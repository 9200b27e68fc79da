"""What became of a page: walls are never content, and pages that only speak of walls are.

`pages/walls` holds one file per kind of wall, its name beginning with what it is; `pages/good`
holds pages that mention captchas, logins, error numbers or scripts, or carry the sensors of bot
walls, and are nothing but pages.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from webquarry._read.format import ConvertedDocument, Selection
from webquarry._read.html.parse import parse_html
from webquarry._read.html.traits import Traits
from webquarry._read.markdown.foreign import read_markdown
from webquarry._read.markdown.words import PageBlocks
from webquarry._read.models import Page
from webquarry._read.outcome.outcome import Outcome, judge
from webquarry._read.reply import read_reply
from webquarry.errors import (
    Challenge,
    LoginWall,
    NetworkFailure,
    NotFound,
    RateLimited,
    ScriptPage,
    SiteRefused,
    ThinPage,
    WebquarryError,
)
from webquarry.net.models import Reply

PAGES = Path(__file__).parent / "pages"
WALLS = sorted((PAGES / "walls").glob("*.html"))
GOOD = sorted((PAGES / "good").glob("*.html"))
ERRORS: dict[str, type[WebquarryError]] = {
    "challenge": Challenge,
    "login": LoginWall,
    "missing": NotFound,
    "shell": ScriptPage,
    "thin": ThinPage,
}
KINDS = {
    "challenge": "challenge",
    "login": "login_wall",
    "missing": "not_found",
    "shell": "js_shell",
    "thin": "thin",
}
WHERE = "https://site.example/some/page"


def read(
    body: str | bytes,
    *,
    status: int = 200,
    url: str = WHERE,
    requested: str | None = None,
    content_type: str = "text/html; charset=utf-8",
    **headers: str,
) -> Page:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = Reply(
        url=url,
        status=status,
        headers=httpx2.Headers({"content-type": content_type, **named}),
        body=body.encode() if isinstance(body, str) else body,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return read_reply(requested or url, reply)


def read_as(body: str, selection: Selection) -> Page:
    """The page that a text is, whole or its main part."""
    reply = Reply(
        url=WHERE,
        status=200,
        headers=httpx2.Headers({"content-type": "text/html; charset=utf-8"}),
        body=body.encode(),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return read_reply(WHERE, reply, selection)


def html(body: str, title: str = "A page", head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


@pytest.mark.parametrize("path", WALLS, ids=lambda path: path.stem)
def test_wall_raises_challenge_or_login_wall(path: Path) -> None:
    kind = path.stem.partition("-")[0]

    with pytest.raises(ERRORS[kind]) as caught:
        read(path.read_bytes())

    assert caught.value.kind == KINDS[kind]
    assert caught.value.suggested_action


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_page_about_walls_is_content(path: Path) -> None:
    page = read(path.read_bytes())

    assert (page.outcome, page.notes) == ("ok", ())
    assert page.markdown


@pytest.mark.parametrize("status", [200, 202, 401, 403, 405, 429, 503, 999])
@pytest.mark.parametrize(
    "path",
    [path for path in WALLS if path.stem.startswith("challenge-")][::4],
    ids=lambda path: path.stem,
)
def test_challenge_is_detected_with_any_status(path: Path, status: int) -> None:
    with pytest.raises(Challenge):
        read(path.read_bytes(), status=status)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cf_mitigated", "challenge"),
        ("x_amzn_waf_action", "captcha"),
        ("x_amzn_waf_action", "challenge"),
        ("x_vercel_mitigated", "challenge"),
    ],
)
@pytest.mark.parametrize("status", [200, 202, 403])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", "text/html"),
        (b"{}", "application/json"),
        (b"%PDF-", "application/pdf"),
        (b"<p>" + b"word " * 900, "text/html"),
    ],
)
def test_challenge_is_detected_by_header(
    name: str, value: str, status: int, body: bytes, content_type: str
) -> None:
    with pytest.raises(Challenge):
        read(body, status=status, content_type=content_type, **{name: value})


def test_page_behind_the_same_service_is_content() -> None:
    assert (
        read(
            html("<p>" + "plain words " * 50),
            server="cloudflare",
            cf_ray="8f",
            x_amzn_waf_action="allow",
        ).outcome
        == "ok"
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, SiteRefused),
        (404, NotFound),
        (410, NotFound),
        (429, RateLimited),
        (500, NetworkFailure),
        (503, NetworkFailure),
    ],
)
def test_error_page_without_wall_raises_by_status(status: int, error: type[WebquarryError]) -> None:
    with pytest.raises(error) as caught:
        read(
            html("<h1>Something is wrong</h1><p>The people in charge have been told.</p>"),
            status=status,
        )

    assert type(caught.value) is error


def test_missing_page_with_captcha_is_not_found() -> None:
    with pytest.raises(NotFound):
        read((PAGES / "walls" / "challenge-hcaptcha-interstitial.html").read_bytes(), status=404)


def test_error_page_with_login_form_is_a_login_wall() -> None:
    with pytest.raises(LoginWall):
        read((PAGES / "walls" / "login-form-only.html").read_bytes(), status=401)


def test_redirect_to_login_page_with_text_is_a_login_wall() -> None:
    body = html(
        "<h1>Welcome</h1><p>"
        + "Our members read every issue since 1887. " * 12
        + "</p><form><input name=user><input type=password></form>",
        "The Gazette",
    )

    with pytest.raises(LoginWall):
        read(
            body,
            url="https://gazette.example/login?next=%2Fissue%2F4",
            requested="https://gazette.example/issue/4",
        )
    assert read(body, url="https://gazette.example/issue/4").outcome == "ok"


def test_redirect_to_error_url_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(
            html("<p>The page you were looking for has moved.</p>", "Shop"),
            url="https://shop.example/404",
        )


@pytest.mark.parametrize("body", [b"", b" \n\t ", b"\n" * 5000])
@pytest.mark.parametrize("content_type", ["text/html", "text/plain", "application/json", ""])
def test_empty_response_raises(body: bytes, content_type: str) -> None:
    with pytest.raises(ThinPage, match="the server sent an empty page") as caught:
        read(body, content_type=content_type)

    assert caught.value.kind == "thin"


def test_shell_with_text_has_a_note_with_the_reason() -> None:
    page = read(
        html(
            '<p><a href="/about">About our shop</a></p><div id="root"></div>',
            head="<script src=/app.js></script>",
        )
    )

    assert page.outcome == "js_shell"
    assert "About our shop" in page.markdown
    assert "scripts" in page.notes[-1]
    assert "3 words" in page.notes[-1]


def test_thin_page_has_a_note_with_the_word_count() -> None:
    page = read(html("<p>Coming soon</p>"))

    assert (page.outcome, page.markdown) == ("thin", "Coming soon")
    assert "2 words" in page.notes[-1]


def test_thin_page_with_refresh_names_its_target() -> None:
    with pytest.raises(ThinPage, match=r"https://site\.example/new/place"):
        read((PAGES / "walls" / "thin-refresh.html").read_bytes())


def test_short_document_other_than_html_is_ok() -> None:
    assert read("yes\n", content_type="text/plain").outcome == "ok"
    assert read('{"ok": true}', content_type="application/json").outcome == "ok"


@pytest.mark.parametrize(
    "word",
    [
        "captcha",
        "Please verify you are human",
        "404 Page not found",
        "You must log in to continue",
        "Enable JavaScript",
    ],
)
def test_hidden_words_do_not_affect_the_outcome(word: str) -> None:
    hidden = (
        f'<div style="display:none">{word}</div><!-- {word} --><script>var text = "{word}";'
        "</script>"
    )

    assert (
        read(
            html(
                hidden
                + "<h1>Tides</h1><p>High water is at four in the morning and at half past four "
                "again.</p>"
            )
        ).outcome
        == "ok"
    )


def test_page_with_text_and_scripts_is_not_a_shell() -> None:
    scripts = "<script src=/a.js></script>" * 30 + "<script>" + "x();" * 20_000 + "</script>"

    assert (
        read(
            html("<p>A short note of eleven words that somebody wrote by hand.</p>", head=scripts)
        ).outcome
        == "ok"
    )


def test_challenge_names_vendor_and_host_without_secrets() -> None:
    body = (PAGES / "walls" / "challenge-datadome.html").read_bytes()

    with pytest.raises(Challenge, match=r"^site\.example .*\(DataDome\)") as caught:
        read(body, url="https://site.example/a?token=hunter22")

    assert "hunter22" not in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 100_000 + "deep",
        "<p>" + "[" * 19_000,
        "<p>" + "![](" * 4_000,
        "<p>" + "a " * 9_000 + "\\" * 500,
        "<form " + "x=1 " * 5_000 + ">",
        "<script>" + "captcha-delivery.com dd={" * 30_000 + "</script>",
        '<div id="root">' * 1_500 + "<b></b>" * 3_000,
        "<a href='" + "/login" * 5_000 + "'>" + "sign in " * 100,
        "<h1>" + "page " * 3_000 + "</h1>",
        "<title>" + "| " * 9_000 + "</title><p>" + "page you " * 2_000,
    ],
    ids=range(10),
)
def test_hostile_pages_are_judged(body: str) -> None:
    assert outcome_of(body) in {"ok", "thin", "js_shell", "challenge", "login_wall", "not_found"}


def outcome_of(body: str) -> str:
    try:
        return read(body).outcome
    except WebquarryError as error:
        return error.kind


LOGIN = (
    "<h1>Briefing 4</h1><h2>Log in to read it</h2><form action='/login'><input type='email'>"
    "<input type='password'><button>Log in</button></form>"
)
SEARCH = "<form action='/search'><input type='search' name='q'></form>"
NEWSLETTER = "<form action='/letter'><input type='email' name='mail'></form>"
ANNOUNCEMENT = "The hall stays closed on Friday because of the storm."


@pytest.mark.parametrize("selection", ["main", "whole"])
def test_login_form_next_to_search_and_newsletter_is_a_wall(selection: Selection) -> None:
    with pytest.raises(LoginWall):
        read_as(html(SEARCH + LOGIN + NEWSLETTER), selection)


GREETINGS = ("Please log in", "Hello, please sign in", "亲，请登录", "ログインしてください")


@pytest.mark.parametrize("greeting", GREETINGS)
def test_login_link_above_text_is_not_a_wall(greeting: str) -> None:
    links = f"<div><a href='/login'>{greeting}</a> | <a href='/join'>Register</a></div>"
    body = html(f"{links}<h1>The hall</h1><p>{ANNOUNCEMENT}</p>")

    assert read_as(body, "main").outcome == "ok"


def judge_part(kept: list[str], around: int, **traits: Any) -> Outcome:
    """The outcome of a page with so many words around the texts that are its main part."""
    part = ConvertedDocument(
        read_markdown("\n\n".join(kept), WHERE).blocks,
        whole=read_markdown("\n\n".join([*kept, "[elsewhere](/) " * around]), WHERE).blocks,
        traits=lambda: Traits(**traits),
        page_blocks=lambda: PageBlocks([], [], [], [], [], [], [], [], [], list),
        is_chosen=True,
        document=parse_html("<p>a page</p>"),
    )
    return judge(WHERE, WHERE, {}, part)


def test_tiny_main_part_is_reported() -> None:
    outcome = judge_part(["Timetable", "Boat", "Leaves", "Arrives"], 120)

    assert outcome.kind == "thin"
    assert outcome.notes == (
        "Only 4 words were found to be the main part of the page; the rest is around them.",
    )


def test_main_part_with_only_a_title_is_reported() -> None:
    assert judge_part(["# Team"], 60).kind == "thin"
    assert judge_part(["# Team"], 30).kind == "ok"
