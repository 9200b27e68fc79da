"""Markdown from servers is read like the HTML page that it describes."""

from __future__ import annotations

import random

import pytest
from markdown_it import MarkdownIt

from webquarry._read.format import ConvertedDocument, FetchedDocument
from webquarry._read.formats import markdown
from webquarry._read.formats.markdown import MarkdownText

URL = "https://harbor.example/docs/page.md"


def convert(text: str) -> ConvertedDocument:
    source = FetchedDocument(URL, text.encode(), "text/markdown; charset=utf-8")
    return MarkdownText().to_markdown(source)


def read(text: str) -> str:
    return convert(text).markdown


HIDDEN = {
    "![logo](https://evil.example/?q=1)": "logo",
    "a ![logo](/x.png 'title') b": "a logo b",
    "[![logo](i.png)](guide)": "[logo](https://harbor.example/docs/guide)",
    "![logo][ref]\n\n[ref]: https://evil.example/x.png": "logo",
    "![ref]\n\n[REF]: https://evil.example/x.png": "ref",
    "[//]: # (a comment)\nseen": "seen",
    '[a](b "unseen title")': "[a](https://harbor.example/docs/b)",
    "[a](javascript:alert(1))": "a",
    "[a](data:text/html,x)": "a",
    "[a][b]\n\n[b]: javascript:alert(1)": "a",
    "<javascript:alert(1)>": "javascript:alert(1)",
    "<img src=https://evil.example/x.png alt=logo>": "logo",
    "a <!-- unseen --> b": "a b",
    "seen\n\n<!-- unseen\n\nto the end": "seen",
    "a\n\n<div style='display:none'>\n\nun**seen**\n\n</div>\n\nb": "a\n\nb",
    "<span hidden>unseen</span>seen": "seen",
    "<style>.x{display:none}</style>\n\n<b class=x>unseen</b>seen": "seen",
    "<script>unseen</script>\n\nseen": "seen",
}
CONVERTED = {
    "# Title #\n\nHigh *water*, `code` and **bold**.": "# Title\n\nHigh *water*, `code` and **bold**.",
    "[a](https://a.example/b)": "[a](https://a.example/b)",
    "[a][b]\n\n[b]: ../c 'title'": "[a](https://harbor.example/c)",
    "```html\n<img src=x>\n![x](u)\n```": "```html\n<img src=x>\n![x](u)\n```",
    "text\n\n    <img src=x>": "text\n\n```\n<img src=x>\n```",
    "`![x](u)` and ``<img src=`x`>``": "`![x](u)` and ``<img src=`x`>``",
    "* one\n* two\n  * three\n\n1. four": "- one\n- two\n  - three\n\n1. four",
    "| a | b |\n|---|---|\n| 1 | 2 |": "|a|b|\n|-|-|\n|1|2|",
    "- [ ] open\n- [x] *done*": "- [ ] open\n- [x] *done*",
    "~~gone~~": "~~gone~~",
    "A note[^1].\n\n[^1]: The note.": "A note\\[^1\\].\n\n\\[^1\\]: The note.",
    "---\ntitle: Tides\n---\n\n# Tides": "```yaml\ntitle: Tides\n```\n\n# Tides",
    "<h1 align=center>\n  Title\n</h1>\n\nText": "# Title\n\nText",
    "Press <kbd>Ctrl</kbd> of Vec<T>.": "Press `Ctrl` of Vec\\<T>.",
    "a < b and c > d, 1 << 2": "a < b and c > d, 1 << 2",
}


@pytest.mark.parametrize(("source", "expected"), HIDDEN.items())
def test_content_that_a_page_would_not_show_is_dropped(source: str, expected: str) -> None:
    assert read(source) == expected


@pytest.mark.parametrize(("source", "expected"), CONVERTED.items())
def test_markdown_is_normalized_like_a_page(source: str, expected: str) -> None:
    assert read(source) == expected


def test_removed_content_is_counted() -> None:
    document = convert("a\u200b <span hidden>unseen</span>")

    assert document.removed["zero-width character"] == 1
    assert sum(document.removed.values()) == 2


def test_markdown_that_is_too_large_is_fenced_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "_LARGEST", 20)
    document = convert("# Tides\n\n![x](https://evil.example/)")

    assert document.markdown == "```markdown\n# Tides\n\n![x](https://evil.example/)\n```"
    assert "too large" in document.notes[0]
    assert document.title == "Tides"


PIECES = [
    "![x](https://e/)", "![x][r]", "![r]", "[r]: https://e/ 't'\n", "[a](b)", "[a][r]", "[", "]", "(",
    ")", "!", "\\", "`", "``", "```\n", "~~~\n", "```", "\n", "\n\n", "    ", "  ", "\t", "> ", "- ",
    "1. ", "# ", "|", "<!--", "-->", "<img src=x>", "<b>", "</b>", "<div>", "</div>\n", "<pre>",
    "</pre>", "<a href='", "'>", '"', "<br/>", "<x-y z>", "<https://e/>", "<javascript:e>", "word ",
    "<details>\n\n", "<?", "?>", "<![CDATA[", "]]>", "<script>", "</script>", "&lt;", "---\n", "a",
]  # fmt: skip
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def find_active(text: str) -> list[str]:
    """Return the tags, images and harmful links that a renderer would produce."""
    found = []
    for block in PARSER.parse(text):
        for token in [block, *(block.children or ())]:
            if token.type in ("html_block", "html_inline", "image"):
                found.append(f"{token.type}: {token.content}")
            if str(token.attrs.get("href", "")).startswith(("javascript:", "data:")):
                found.append(f"link: {token.attrs['href']}")
    return found


@pytest.mark.parametrize("seed", range(8))
def test_random_markup_never_produces_an_image_or_a_tag(seed: int) -> None:
    randomness = random.Random(seed)
    for _ in range(60):
        soup = "".join(randomness.choices(PIECES, k=randomness.randint(2, 14)))
        given = read(soup)
        assert find_active(given) == [], (soup, given)
