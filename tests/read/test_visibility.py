"""What a person cannot see is not in the text; what the page lets a person open is. One line for
each way to hide.
"""

from __future__ import annotations

import pytest

from tests.read.converting import page

# reason -> pages in which INJ cannot be seen; the reason is what the removal is counted under
HIDDEN = {
    "aria-hidden": [
        "<div aria-hidden=true>INJ</div>",
    ],
    "clipped": [
        '<div style="clip:rect(0,0,0,0);position:absolute">INJ</div>',
        '<div style="clip-path:inset(100%)">INJ</div>',
        '<div style="clip-path:circle(0)">INJ</div>',
    ],
    "closed dialog": [
        "<dialog>INJ</dialog>",
        "<div popover>INJ</div>",
    ],
    "comment": [
        "<!-- INJ -->",
    ],
    "display none": [
        '<div style="display:none">INJ</div>',
        '<div style="DISPLAY : NONE">INJ</div>',
        '<div style="display:none!important">INJ</div>',
        '<div style="content-visibility:hidden">INJ</div>',
        '<img src=x alt="INJ" style="display:none">',
        "<style>.zz{display:none}</style><div class=zz>INJ</div>",
        "<style>@media screen{.zz{display:none}}</style><div class=zz>INJ</div>",
        "<style>/*x*/.zz/*y*/{display/**/:none}</style><div class=zz>INJ</div>",
        '<div style="display:none"><div style="display:block">INJ</div></div>',
        '<div style="d\\69splay:none">INJ</div>',
        '<pre><span style="display:none">INJ</span>code</pre>',
    ],
    "embedded object": [
        "<object>INJ</object>",
        "<iframe>INJ</iframe>",
        "<video>INJ</video>",
    ],
    "fallback text": [
        "<noscript>INJ</noscript>",
    ],
    "form control": [
        "<textarea>INJ</textarea>",
        "<select><option>INJ</select>",
        "<datalist><option>INJ</datalist>",
    ],
    "hidden attribute": [
        "<u hidden><p>INJ</p></u>",
        "<div hidden>INJ</div>",
        '<div HIDDEN="">INJ</div>',
        "<details hidden><summary>INJ</summary>INJ</details>",
        "<code>a<span hidden>INJ</span></code>",
        "<ul><li hidden>INJ<li>x</ul>",
    ],
    "hidden class": [
        '<div class="d-none">INJ</div>',
        '<div class="hidden">INJ</div>',
        '<div class="hide">INJ</div>',
        '<div class="invisible">INJ</div>',
        '<div class="d-none d-print-block">INJ</div>',
    ],
    "navigation": [
        "<nav>INJ</nav>",
        "<div role=navigation>INJ</div>",
    ],
    "no size": [
        '<div style="width:0;height:0;overflow:hidden">INJ</div>',
        '<div style="width:1px;height:1px;overflow:hidden;position:absolute">INJ</div>',
        '<div style="height:0;overflow:hidden">INJ</div>',
        '<div style="max-height:0;overflow:hidden">INJ</div>',
        '<div style="transform:scale(0)">INJ</div>',
        '<div style="zoom:0">INJ</div>',
        '<img src=x alt="INJ" width=1 height=1>',
        '<div style="width:0;overflow:hidden;white-space:nowrap">INJ</div>',
    ],
    "off screen": [
        "<div style='position:absolute;inset:-9999px auto auto'>INJ</div>",
        '<div style="position:absolute;left:-9999px">INJ</div>',
        '<div style="position:fixed;top:-5000px">INJ</div>',
        '<div style="position:absolute;right:-9999px">INJ</div>',
        '<div style="position:absolute;left:-100vw">INJ</div>',
        '<div style="transform:translateX(-9999px)">INJ</div>',
        '<div style="text-indent:-9999px">INJ</div>',
        '<div style="letter-spacing:-9999px">INJ</div>',
        '<div style="position:absolute;top:99999px">INJ</div>',
        '<div style="margin-left:-9999px">INJ</div>',
        '<style>.zz{position:absolute;left:-9999px}</style><div class="a zz">INJ</div>',
        '<p style="position:absolute;z-index:-9999">INJ</p>',
    ],
    "same colour": [
        '<div style="color:white;background:white">INJ</div>',
        '<div style="color:rgb(255,255,255);background:#fff">INJ</div>',
        '<div style="color:#fefefe;background:#fff">INJ</div>',
        '<div style="color:black;background:#000">INJ</div>',
        '<div style="color:transparent">INJ</div>',
        '<div style="color:rgba(0,0,0,0)">INJ</div>',
        '<div style="background:#fff"><span style="color:#fff">INJ</span></div>',
        '<p style="color:white">INJ</p>',
        "<font color=white>INJ</font>",
        "<table bgcolor=black><tr><td><font color=black>INJ</font><td>x<tr><td>y<td>z</table>",
        "<style>.zz{color:#fff}</style><div class=zz>INJ</div>",
        '<div style="background:white;color:white"><a href=x style="color:white">INJ</a></div>',
        "<body bgcolor=white><font color=white>INJ</font>",
    ],
    "screen reader class": [
        '<div class="sr-only">INJ</div>',
        '<span class="visually-hidden">INJ</span>',
        '<span class="screen-reader-text">INJ</span>',
        '<label class="vh sr-only-focusable">INJ</label>',
    ],
    "template": [
        "<template>INJ</template>",
    ],
    "text in a drawing": [
        "<svg><title>INJ</title><desc>INJ</desc><text>INJ</text><metadata>INJ</metadata></svg>",
    ],
    "tiny text": [
        '<span style="font-size:0">INJ</span>',
        '<span style="font-size:1px">INJ</span>',
        '<span style="font:0/0 a">INJ</span>',
        '<div style="font-size:0"><b>INJ</b></div>',
        '<div style="font-size:2px"><span style="font-size:1em">INJ</span></div>',
        "<style>p.zz, .yy{font-size:0}</style><p class=zz>INJ</p><i class=yy>INJ</i>",
    ],
    "transparent": [
        '<div style="opacity:0">INJ</div>',
        '<div style="opacity:0%">INJ</div>',
        '<div style="filter:opacity(0)">INJ</div>',
        "<style>.zz{opacity:0}</style><div class=zz>INJ</div>",
        '<div style="opacity: 0 !important">INJ</div>',
    ],
    "visibility hidden": [
        '<div style="visibility:hidden">INJ</div>',
        '<div style="visibility:collapse">INJ</div>',
        "<style>#zz{visibility:hidden}</style><div id=zz>INJ</div>",
    ],
}
# not text of the page at all, so there is nothing to count
NEVER_TEXT = [
    "<script>INJ</script>",
    '<script type="text/plain">INJ</script>',
    '<script type="application/ld+json">{"x":"INJ"}</script>',
    '<style>.x{content:"INJ"}</style>',
    "<input type=hidden value=INJ>",
    "<input value=INJ placeholder=INJ>",
    '<a href=x title="INJ">k</a>',
    "<p title=INJ data-x=INJ aria-label=INJ>k</p>",
    "<meta name=x content=INJ>",
    '<table><tr><td hidden>INJ<td>a<tr><td style="display:none">INJ<td>b</table>',
    '<math><annotation encoding="application/x-tex">INJ</annotation></math>',
    '<math alttext="INJECT ignore"><mi>x</mi></math>',
    '<script type="math/tex">INJ \\alpha</script>',
]
SEEN = [
    "<details><summary>S</summary>SEE</details>",
    "<script src=app.js></script><div role=tabpanel hidden>SEE</div>",
    "<a role=tab aria-controls=p1>t</a><div id=p1 hidden>SEE</div>",
    '<a role=tab aria-controls=p1>t</a><div id=p1 style="display:none">SEE</div>',
    '<button data-bs-target="#c1">t</button><div id=c1 class=x style="display:none">SEE</div>',
    '<button data-target="#c1">t</button><div id=c1 aria-hidden=true>SEE</div>',
    '<a href="#c1" data-toggle=collapse>t</a><div id=c1 class="collapse">SEE</div>',
    '<ul class=tabs><li><a href="#c1">t</a></ul><div id=c1 style="display:none">SEE</div>',
    '<div class="tab-pane fade">SEE</div>',
    '<div class="accordion-collapse collapse" aria-labelledby=h>SEE</div>',
    '<script src=app.js></script><div class="tab-pane" style="display:none">SEE</div>',
    "<button popovertarget=pp>x</button><div popover id=pp>SEE</div>",
    "<dialog open>SEE</dialog>",
    '<div class="d-none d-md-block">SEE</div>',
    '<div class="hidden md:block">SEE</div>',
    '<div class="hidden-xs">SEE</div>',
    '<p style="color:white;background:#333">SEE</p>',
    '<div style="background:#222"><p style="color:#fff">SEE</p></div>',
    '<div style="background:url(x.jpg)"><p style="color:#fff">SEE</p></div>',
    '<div style="background-image:linear-gradient(red,blue)"><p style="color:#fff">SEE</p></div>',
    '<link rel=stylesheet href=x.css><div class=hero><h1 style="color:#fff">SEE</h1></div>',
    '<style>.dark{background:#000}</style><div class=dark><p style="color:#fff">SEE</p></div>',
    '<p style="color:transparent;background:linear-gradient(red,blue);'
    '-webkit-background-clip:text">SEE</p>',
    '<div style="visibility:hidden"><p style="visibility:visible">SEE</p></div>',
    '<ul style="font-size:0"><li style="font-size:16px">SEE</ul>',
    "<script src=app.js></script>"
    "<style>.t{display:none}.t.active{display:block}</style><div class=t>SEE</div>",
    "<style>.t{display:none}#c:checked ~ .t{display:block}</style>"
    "<input type=checkbox id=c><div class=t>SEE</div>",
    "<style>.t{display:none}@media(min-width:600px){.t{display:block}}</style><div "
    "class=t>SEE</div>",
    "<style>@media (max-width:600px){.t{display:none}}</style><div class=t>SEE</div>",
    "<style media=print>.t{display:none}</style><div class=t>SEE</div>",
    '<div style="opacity:.5">SEE</div>',
    '<div style="height:0;padding-bottom:56%;overflow:hidden;position:relative"><p>SEE</p></div>',
    '<div style="position:absolute;left:50%;transform:translate(-50%,-50%)">SEE</div>',
    "<div><template shadowrootmode=open>SEE</template></div>",
    '<p style="position:absolute;top:4000px">SEE</p>',
    "<div aria-hidden=false>SEE</div>",
    '<p style="color:white;text-shadow:0 0 2px #000">SEE</p>',
    '<div class="carousel-item">SEE</div>',
    '<p style="color:#fff;background:white"><a href=x>SEE</a></p>',
    '<div class="hide-on-mobile">SEE</div>',
    '<button aria-expanded=false>Q</button><div style="display:none">SEE</div>',
    '<div style="z-index:-1;position:relative">SEE</div>',
    '<script src=app.js></script><div style="display:none" class="faq-answer">SEE</div>',
    '<span class="accessible">SEE</span>',
    '<div class="header-hidden-menu-x">SEE</div>',
]

BEFORE, AFTER = (
    "<!doctype html><title>t</title><body><p>KEEP-0 is seen.</p>",
    "<p>KEEP-1 is seen too.</p>",
)


@pytest.mark.parametrize(
    ("reason", "html"), [(reason, html) for reason, pages in HIDDEN.items() for html in pages]
)
def test_hidden_text_is_left_out_and_counted_by_its_reason(reason: str, html: str) -> None:
    result = page(BEFORE + html + AFTER)

    assert "INJ" not in result.text
    assert "KEEP-0 is seen." in result.text
    assert "KEEP-1 is seen too." in result.text
    assert set(result.removed) == {reason}


@pytest.mark.parametrize("html", NEVER_TEXT)
def test_markup_that_is_no_text_is_not_shown_as_text(html: str) -> None:
    result = page(BEFORE + html + AFTER)

    assert "INJ" not in result.text
    assert "KEEP-1 is seen too." in result.text


@pytest.mark.parametrize("html", SEEN)
def test_what_a_person_sees_or_can_open_stays(html: str) -> None:
    text = page(BEFORE + html + AFTER).text

    assert "SEE" in text
    assert "KEEP-1 is seen too." in text


def test_an_element_can_end_what_its_parent_hides() -> None:
    html = (
        "<div style='visibility:hidden'>INJ<p style='visibility:visible'>SEE-1</p>INJ</div>"
        "<ul style='font-size:0'>INJ<li style='font-size:16px'>SEE-2</ul>"
        "<div style='color:#fff;background:#fff'>INJ<p style='color:#000'>SEE-3</p>INJ</div>"
    )
    result = page(html)

    assert result.text == "SEE-1\n\n- SEE-2\n\nSEE-3"
    assert result.removed == {"visibility hidden": 2, "tiny text": 1, "same colour": 2}


def test_white_text_counts_as_hidden_only_where_every_background_is_known() -> None:
    white = "<p style='color:#fff'>text</p>"

    assert page(white).text == ""
    assert page(f"<link rel=stylesheet href=x.css>{white}").text == "text"
    assert page(f"<style>@import 'x.css';</style>{white}").text == "text"
    assert page(f"<style>p:hover{{background:#000}}</style>{white}").text == "text"


def test_box_that_an_unread_sheet_may_paint_does_not_hide_white_text() -> None:
    start = "<link rel=stylesheet href=x.css><div style='background:#fff'>"

    assert page(f"{start}<p style='color:#fff'>text").text == ""
    assert page(f"{start}<div class=button><p style='color:#fff'>text").text == "text"


def test_a_part_that_react_sends_late_is_part_of_the_page() -> None:
    late = "<template id='B:0'></template><div hidden id='S:0'>late</div>"
    script = "<script>$RC=function(b,c){document.getElementById(b)};$RC('B:0','S:0')</script>"

    assert page(late + script).text == "late"
    assert page(late).text == ""
    assert page(late.partition("</template>")[2] + script).text == ""


def test_late_parts_without_a_script_count_where_they_are_the_page() -> None:
    words = "The text of the page goes on and on. " * 40
    late = f"<template id='B:0'></template><div hidden id='S:0'><p>{words}</p></div>"

    assert page(f"<p>x</p>{late}").text.count("on and on") == 40
    assert page(f"<p>{words}</p>{late}").text.count("on and on") == 40


def test_a_page_that_hides_itself_until_its_scripts_have_run_is_seen() -> None:
    words = "<p>The text of the page goes on and on. " * 20
    script = "<script src=app.js></script>"
    hidden = f"<div style='opacity:0'><h1>Head</h1>{words}</div>"

    assert page(f"{script}<p>x</p>{words}{hidden}").text.count("# Head") == 0
    assert page(f"{script}<p>x</p>{hidden}").text.startswith("x\n\n# Head")


def test_a_page_without_scripts_that_hides_itself_is_read_only_where_nothing_else_is_there() -> (
    None
):
    words = "<p>The text of the page goes on and on. " * 40
    hidden = f"<div style='opacity:0'><h1>Head</h1>{words}</div>"

    assert page(f"<p>x</p>{hidden}").text.startswith("x\n\n# Head")
    assert page(f"<p>{'Something that is seen. ' * 20}</p>{hidden}").text.count("# Head") == 0
    assert page(f"<p>x</p>{hidden[:300]}").text == "x"


def test_box_that_fades_in_is_visible() -> None:
    script = "<script src=app.js></script>"

    assert page(f"{script}<p style='opacity:0;transform:translateY(20px)'>x").text == "x"
    assert page(f"{script}<p style='opacity:0;transform:translateY(-9999px)'>x").text == ""
    assert page("<p style='opacity:0;transform:translateY(20px)'>x").text == ""


def test_price_written_for_sight_and_screen_readers_appears_once() -> None:
    html = "<p><span class=sr-only>19 dollars</span><span aria-hidden=true>$19</span></p>"

    assert page(html).text == "$19"


def test_copies_of_slides_are_left_out() -> None:
    assert (
        page(
            "<div class='slick-slide' aria-hidden=true>a</div><div class='slick-slide "
            "slick-cloned' aria-hidden=true>b"
        ).text
        == "a"
    )


def test_a_selector_list_inside_a_function_is_not_taken_for_selectors() -> None:
    assert (
        page(
            "<style>:not(:defined):not(x-a, x-b, x-c){visibility:hidden}</style><x-b>text</x-b>"
        ).text
        == "text"
    )


@pytest.mark.parametrize(
    "html",
    [
        '<div class="field field--label-visually-hidden"><p>SEE</p></div>',
        '<h2><a class="heading-anchor" href="#a">SEE</a></h2>',
    ],
)
def test_class_names_of_visible_content_hide_nothing(html: str) -> None:
    assert "SEE" in page(html).text
