"""Markdown of others: what a page of HTML would not show is not given either; the rest stays as it
was written.
"""

from __future__ import annotations

import random

import pytest
from markdown_it import MarkdownIt

from webquarry._read.format import ConvertedDocument, FetchedDocument
from webquarry._read.formats import _markdown_links
from webquarry._read.formats.markdown import MarkdownText

URL = "https://harbor.example/docs/page.md"


def convert(text: str) -> ConvertedDocument:
    source = FetchedDocument(URL, text.encode(), "text/markdown; charset=utf-8")
    return MarkdownText().to_markdown(source)


def read(text: str) -> str:
    return convert(text).markdown


CHANGED = {
    "![logo](https://evil.example/?q=1)": "logo",
    "a ![logo](/x.png 'title') b": "a logo b",
    "[![logo](i.png)](guide)": "[logo](https://harbor.example/docs/guide)",
    "![logo][ref]\n\n[ref]: https://evil.example/x.png": "logo",
    "![ref]\n\n[REF]: https://evil.example/x.png": "ref",
    "![logo][nowhere]": "logo",
    "[//]: # (a note that nobody sees)\nseen": "seen",
    "[a][b]\n\n[b]: ../c 'unseen title'": "[a][b]\n\n[b]: https://harbor.example/c",
    '[a](b "unseen title")': "[a](https://harbor.example/docs/b)",
    "[a](javascript:alert(1))": "a",
    "[a](data:text/html,x)": "a",
    "[a][b]\n\n[b]: javascript:alert(1)": "a",
    "<javascript:alert(1)>": "\\<javascript:alert(1)>",
    "<img src=https://evil.example/x.png alt=logo>": "logo",
    '<img alt="<" src="https://evil.example/">': "<",
    "a <!-- unseen --> b": "a  b",
    "seen\n\n<!-- unseen\n\nto the end": "seen",
    "a\n\n<div style='display:none'>\n\nun**seen**\n\n</div>\n\nb": "a\n\nb",
    "<span hidden>unseen</span>seen": "seen",
    "<style>.x{display:none}</style>\n\n<b class=x>unseen</b>seen": "seen",
    "<script>unseen</script>\n\nseen": "seen",
    "<h1 align=center>\n  Title\n</h1>\n\nText": "# Title\n\nText",
    "Press <kbd>Ctrl</kbd> of Vec<T>.": "Press `Ctrl` of Vec\\<T>.",
    "> ```\n![x](u)": "> ```\nx",
    "- ```\n![x](u)": "- ```\nx",
    "<!--\n```\n-->\n![x](u)": "x",
    "<div>\n```\n</div>\n\n![x](u)": "\\`\\`\\`\n\nx",
    "- a `\n- ![x](u) `": "- a `\n- x `",
    "| ` | ![x](u) | ` |": "| ` | x | ` |",
    '<b title="`"> ![x](u) `</b>': "**x `**",
    "para\n    ~~~\n![x](u)": "para\n    ~~~\nx",
    "- item\n\n    ![x](u)": "- item\n\n    x",
}
KEPT = [
    "# Title\n\nSome *text* with `code`, a [link](https://a.example/b) and <https://c.example>.",
    "```html\n<img src=https://evil.example/x.png>\n![x](u)\n```",
    "text\n\n    <img src=x>\n    ![x](u)\n\ntext",
    "`![x](u)` and ``<img src=`x`>``",
    "- one\n- two\n  - three\n\n1. four\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "a < b and c > d, 1 << 2, &lt;b&gt;",
    "A note[^1].\n\n[^1]: The note.",
    "---\ntitle: Tides\n---\n\n# Tides",
    "\\![x] \\<b> \\`a\\`",
]


@pytest.mark.parametrize(("source", "given"), CHANGED.items())
def test_what_a_page_would_not_show_is_not_given(source: str, given: str) -> None:
    assert read(source) == given


@pytest.mark.parametrize("source", KEPT)
def test_the_rest_stays_as_it_was_written(source: str) -> None:
    assert read(source) == source


def test_what_was_taken_out_is_counted() -> None:
    document = convert("a\u200b <span hidden>unseen</span>")

    assert document.removed["zero-width character"] == 1
    assert sum(document.removed.values()) == 2


def test_a_label_of_more_than_999_characters_names_nothing() -> None:
    known, unknown = "a" * 999, "a" * 1000

    assert read(f"[{known}]\n\n[{known}]: b").endswith(f"[{known}]: https://harbor.example/docs/b")
    assert read(f"[{unknown}]\n\n[{unknown}]: b") == f"[{unknown}]"


@pytest.mark.parametrize(
    "text", ["[" * 4000 + "x" + "](" * 4000, "[" * 4000 + "x" + "]" * 4000, "![" * 999 + "]" * 999]
)
def test_brackets_in_brackets_are_looked_at_once(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded: list[str] = []
    fold = _markdown_links.fold_label

    def fold_and_note(label: str) -> str:
        folded.append(label)
        return fold(label)

    monkeypatch.setattr(_markdown_links, "fold_label", fold_and_note)
    read(f"{text}\n\n[a]: /b")

    assert sum(map(len, folded)) < len(text)


def test_a_target_ends_at_the_parenthesis_that_is_not_escaped() -> None:
    """Or its end would be looked for again from each place at which one seems to begin."""
    assert read("[a](b(c\\)d))") == "[a](https://harbor.example/docs/b%28c%29d%29)"


PIECES = [
    "![x](https://e/)", "![x][r]", "![r]", "[r]: https://e/ 't'\n", "[a](b)", "[a][r]", "[", "]", "(",
    ")", "!", "\\", "`", "``", "```\n", "~~~\n", "```", "\n", "\n\n", "    ", "  ", "\t", "> ", "- ",
    "1. ", "# ", "|", "<!--", "-->", "<img src=x>", "<b>", "</b>", "<div>", "</div>\n", "<pre>",
    "</pre>", "<a href='", "'>", '"', "<br/>", "<x-y z>", "<https://e/>", "<javascript:e>", "word ",
    "<details>\n\n", "<?", "?>", "<![CDATA[", "]]>", "<script>", "</script>", "&lt;", "---\n", "a",
]  # fmt: skip
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def find_active(markdown: str) -> list[str]:
    """What a renderer would make of a text that a page never has: tags, images, harmful links."""
    found = []
    for block in PARSER.parse(markdown):
        for token in [block, *(block.children or ())]:
            if token.type in ("html_block", "html_inline", "image"):
                found.append(f"{token.type}: {token.content}")
            if str(token.attrs.get("href", "")).startswith(("javascript:", "data:")):
                found.append(f"link: {token.attrs['href']}")
    return found


@pytest.mark.parametrize("seed", range(8))
def test_no_soup_of_marks_gets_an_image_or_a_tag_through(seed: int) -> None:
    """What a real parser finds in the result decides."""
    randomness = random.Random(seed)
    for _ in range(60):
        soup = "".join(randomness.choices(PIECES, k=randomness.randint(2, 14)))
        given = read(soup)
        assert find_active(given) == [], (soup, given)
