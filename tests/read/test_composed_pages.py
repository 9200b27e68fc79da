"""What browsers paint is another tree than what was written: shadow trees, drawings, fallbacks."""

from __future__ import annotations

import pytest

from tests.read.converting import page
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.style.reveal import Scripts

SENTENCE = "The harbour master writes down every boat that comes in, its crew and its cargo. "


def main_content(html: str) -> str:
    document = parse_html(html)
    return render_selection(document, select_main_content(document), "https://example.org/").text


def test_slotted_children_appear_in_their_slots() -> None:
    html = (
        "<x-card><template shadowrootmode=open><slot name=b></slot><p>own</p><slot></slot>"
        "</template><p>rest</p>text<p slot=b>first</p><p slot=c>nowhere</p></x-card>"
    )
    result = page(html)

    assert result.text == "first\n\nown\n\nrest\n\ntext"
    assert result.removed == {"template": 1}


def test_a_fallback_is_main_content_only_where_the_page_is_nothing_without_it() -> None:
    thread = f"<noscript><article><h1>Boats</h1><p>{SENTENCE * 8}</p></article></noscript>"
    seen = "".join(f"<p>Seen. {SENTENCE}{number}</p>" for number in range(12))

    assert SENTENCE.strip() in main_content(f"<body><div>Loading</div>{thread}")
    text = main_content(f"<body><main>{seen}</main>{thread}")
    assert "Seen." in text
    assert "Boats" not in text


def test_choice_of_hidden_text_is_repeated_without_it() -> None:
    hidden = "".join(f"<p>Unseen. {SENTENCE * 3}</p>" for _ in range(10))
    seen = "".join(f"<p>Seen. {SENTENCE * 2}{number}</p>" for number in range(6))
    page_with_both = (
        f"<article><h1>Boats</h1>{seen}</article><noscript><main>{hidden}</main></noscript>"
    )

    text = main_content(page_with_both)

    assert "Seen." in text
    assert "Unseen." not in text


def test_of_more_text_in_drawings_than_is_looked_at_nothing_is_believed() -> None:
    text = page("<svg width=900 height=900>" + "<text x=1 y=20>word</text>" * 3000 + "</svg>").text

    assert text.count("word") == 2000


@pytest.mark.parametrize(
    ("script", "counts"),
    [
        ("<script src=app.js></script>", True),
        ("<script src='https://cdn.example/x.js' type=module></script>", True),
        ("<script>document.title = 1</script>", True),
        ("<script>$('.a').show()</script>", True),
        ("<script type='a1b2c3d4e5f6a1b2c3d4e5f6-text/javascript' src=x.js></script>", True),
        ("<script></script>", False),
        ("<script>/* document */ // document\n</script>", False),
        ("<script>1</script>", False),
        ("<script type='application/ld+json'>document</script>", False),
        ("<script type='text/template'>document</script>", False),
        ("<script src=''></script>", False),
        ("<script src='data:,document'></script>", False),
        ("<script src='https://www.googletagmanager.com/gtag/js'></script>", False),
        ("<script nomodule src=old.js></script>", False),
        ("<noscript><script src=app.js></script></noscript>", False),
        ("<template><script src=app.js></script></template>", False),
    ],
)
def test_a_script_counts_if_it_runs_and_may_change_the_page(script: str, counts: bool) -> None:
    assert Scripts(parse_html(f"<p>x</p>{script}").page_info.scripts).are_any is counts
