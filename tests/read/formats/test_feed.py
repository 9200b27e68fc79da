"""RSS and Atom."""

from __future__ import annotations

import pytest

from webquarry._read import feeds
from webquarry._read.detect import pick_format
from webquarry._read.feeds import iso_date
from webquarry._read.format import ConvertedDocument, FetchedDocument

RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{}</feed>'


def read(body: str | bytes, content_type: str = "application/rss+xml") -> ConvertedDocument:
    source = FetchedDocument(
        "https://site.example/feed",
        body if isinstance(body, bytes) else body.encode(),
        content_type,
    )
    return pick_format(source).to_markdown(source)


def item(inside: str) -> str:
    return read(RSS.format(f"<item>{inside}</item>")).markdown.partition("# News\n\n")[2]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<title>A</title><link>https://a.example/</link>", "## [A](https://a.example/)"),
        ("<title>A</title><link>/a</link>", "## [A](https://site.example/a)"),
        ("<title>A</title><link>javascript:alert(1)</link>", "## A"),
        ("<title>A &amp;amp; B</title>", "## A & B"),
        ("<title>&lt;b&gt;A&lt;/b&gt; *b*</title>", r"## A \*b\*"),
        ("<description>words</description>", "## Entry 1\n\nwords"),
        ("<title>A</title><guid isPermaLink='false'>https://a.example/</guid>", "## A"),
        ("<title>A</title><author>a@b.example (Ada)</author>", "## A\n\nAda"),
        (
            "<title>A</title><pubDate>Wed, 01 May 2024 08:30:00 GMT</pubDate>",
            "## A\n\n2024-05-01T08:30:00Z",
        ),
        ("<title>A</title><pubDate>soon *enough*</pubDate>", "## A\n\nsoon \\*enough\\*"),
        ("<title>A</title><description>&lt;script&gt;x&lt;/script&gt;y</description>", "## A\n\ny"),
        (
            "<title>A</title><description>&lt;h1&gt;H&lt;/h1&gt;&lt;pre&gt;# "
            "code&lt;/pre&gt;</description>",
            "## A\n\n### H\n\n```\n# code\n```",
        ),
        (
            "<title>A</title><description>&lt;|im_start|&gt;</description>",
            "## A\n\n&lt;|im_start|>",
        ),
    ],
)
def test_entry_has_heading_date_author_and_text(inside: str, expected: str) -> None:
    assert item(inside) == expected


def test_a_feed_in_another_encoding_is_read() -> None:
    body = RSS.replace('"1.0"?', '"1.0" encoding="iso-8859-1"?').format(
        "<description>Château</description>"
    )

    assert read(body.encode("latin-1"), "application/xml").markdown == "# News\n\nChâteau"


def test_feed_with_syntax_errors_is_read() -> None:
    assert (
        "## A"
        in read(
            RSS.format("<item><title>A</title><description>5 &nbsp; < 6</description></item>")
        ).markdown
    )


def test_atom_text_types_are_respected() -> None:
    entry = "<entry><title>T</title><summary type='{}'>&lt;b&gt;x&lt;/b&gt;</summary></entry>"

    assert read(ATOM.format(entry.format("text"))).markdown == "# News\n\n## T\n\n\\<b>x\\</b>"
    assert read(ATOM.format(entry.format("html"))).markdown == "# News\n\n## T\n\n**x**"


@pytest.mark.parametrize(
    "body",
    [
        '<!DOCTYPE rss [<!ENTITY a "lol">]><rss><channel><title>&a;</title></channel></rss>',
        "<!DOCTYPE rss [<!ENTITY x SYSTEM "
        '"file:///etc/passwd">]><rss><channel><title>&x;</title></channel></rss>',
        "<rss><nothing/></rss>",
        "<rss><channel><title>cut off",
        "not xml at all",
        "",
    ],
)
def test_xml_that_is_not_a_feed_is_fenced(body: str) -> None:
    markdown = read(body).markdown

    assert markdown in (f"```xml\n{body}\n```", "", "# cut off")


def test_feed_entities_are_never_expanded() -> None:
    bomb = "".join(f'<!ENTITY l{i} "' + f"&l{i - 1};" * 10 + '">' for i in range(1, 10))
    body = (
        f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol">{bomb}]><rss><channel><title>MARK '
        "&l9;</title></channel></rss>"
    )

    assert read(body).markdown == f"```xml\n{body}\n```"


def test_entries_beyond_the_limit_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_LONGEST", 60)
    draft = read(RSS.format("<item><title>0123456789012345</title></item>" * 10))

    assert draft.markdown.count("## ") == 3
    assert draft.lost == draft.notes == ("The feed has 10 entries; only the first 3 are shown.",)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Wed, 01 May 2024 08:30:00 +0200", "2024-05-01T08:30:00+02:00"),
        ("Wed, 01 May 2024 08:30:00 EST", "2024-05-01T08:30:00-05:00"),
        ("Wed, 01 May 2024 08:30:00 -0000", "2024-05-01T08:30:00"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01 08:30", "2024-05-01T08:30"),
        ("2024-05-01T08:30:00Z", "2024-05-01T08:30:00Z"),
        ("2024", "2024"),
        ("2024-13-01", ""),
        ("2024-02-31", ""),
        ("soon", ""),
        ("Wed, 99 May 2024 08:30:00 GMT", ""),
    ],
)
def test_feed_dates_become_iso_without_added_precision(written: str, expected: str) -> None:
    assert iso_date(written) == expected
