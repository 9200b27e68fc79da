"""Seed 000, row by row: fetching a page as Markdown. Each test is named after the row it stands
for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.executables import FETCH, Answer, Done, InProcess, Site, run_script
from tests.seeds.seed_000 import seed_json

PAGE = """<!doctype html><html><head><title>A page</title><style>p { color: red }</style>
<script>var hidden = "script text";</script></head><body>
<nav><a href="/home">Navigation text</a></nav>
<h1>Page Title</h1>
<p>The first paragraph says something, and links to <a href="/other">another page</a> \
of the site.</p>
<ul><li>first point</li><li>second point</li></ul>
<p>The last paragraph.</p>
</body></html>"""


def fetch(run: InProcess, html: str = PAGE, **given: Any) -> Done:
    """Fetch a page from a site whose address, which differs from run to run, is shown as
    site.example.
    """
    with Site(Answer(html.encode())) as site:
        done = run(FETCH, {"url": f"{site.origin}/page", **given}, site.environ)
    return replace(done, stdout=done.stdout.replace(site.origin.encode(), b"http://site.example"))


def numbered(count: int) -> str:
    """A page of so many lines of Markdown, each a preformatted one; the fence adds two."""
    return (
        "<pre>"
        + "\n".join(f"line {number} of the page" for number in range(1, count + 1))
        + "</pre>"
    )


def test_provider_of_web_fetch_is_an_http_client_and_libxml2() -> None:
    with Site(Answer(PAGE.encode())) as site:
        done = run_script(FETCH, {"url": f"{site.origin}/page"}, site.environ)

    assert [asked.target for asked in site.asked] == ["/page"]
    assert (done.code, done.stderr) == (0, "")
    assert done.answer["content"].startswith("# Page Title\n\n")


def test_fetch_request_format_of_the_seed_is_taken_on_stdin(run: InProcess) -> None:
    given = {name: value for name, value in seed_json(FETCH, "url").items() if name != "url"}
    done = fetch(run, numbered(300), **given)

    assert given == {"offset": 50, "limit": 100}
    assert done.answer["lines_read"] == 100


def test_field_url_is_required(run: InProcess) -> None:
    assert run(FETCH, {"offset": 1}).error == "The field 'url' is missing."


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "file:///etc/passwd", "example.com/page", "not a url", ""]
)
def test_field_url_is_an_http_or_https_url(run: InProcess, url: str) -> None:
    assert run(FETCH, {"url": url}).error.startswith("Failed to fetch URL: ")


@pytest.mark.parametrize("field", ["offset", "limit"])
@pytest.mark.parametrize("value", [0, -1])
def test_fields_offset_and_limit_are_at_least_one(run: InProcess, field: str, value: int) -> None:
    assert (
        "greater than or equal to 1"
        in run(FETCH, {"url": "https://example.com/", field: value}).error
    )


@pytest.mark.parametrize("field", ["offset", "limit"])
@pytest.mark.parametrize("value", ["5", 1.5, True, [1]])
def test_fields_offset_and_limit_are_integers(run: InProcess, field: str, value: object) -> None:
    assert (
        f"The field '{field}' does not fit"
        in run(FETCH, {"url": "https://example.com/", field: value}).error
    )


def test_field_offset_is_one_based_and_one_by_default(run: InProcess) -> None:
    whole = fetch(run).answer["content"]

    assert fetch(run, offset=1).answer["content"] == whole
    assert fetch(run, offset=3).answer["content"] == "\n".join(whole.split("\n")[2:])


def test_field_limit_is_all_by_default(run: InProcess) -> None:
    answer = fetch(run, numbered(5000)).answer

    assert "line 5000 of the page" in answer["content"]
    assert list(answer) == ["content", "lines_read"]


def test_fetch_response_has_the_seeds_fields_and_no_others(run: InProcess) -> None:
    answer = fetch(run).answer

    assert list(answer) == list(seed_json(FETCH, "content"))
    assert isinstance(answer["content"], str)
    assert isinstance(answer["lines_read"], int)


def test_field_lines_read_is_the_number_of_lines_returned(run: InProcess) -> None:
    for answer in (
        fetch(run).answer,
        fetch(run, offset=2).answer,
        fetch(run, offset=2, limit=2).answer,
    ):
        assert answer["lines_read"] == len(answer["content"].split("\n"))


def test_processing_fetch_parse_convert_then_apply_offset_and_limit(run: InProcess) -> None:
    whole = fetch(run).answer["content"].split("\n")

    assert whole[0] == "# Page Title"
    assert fetch(run, offset=2, limit=4).answer == {
        "content": "\n".join(whole[1:5]),
        "lines_read": 4,
    }


def test_offset_and_limit_count_lines_of_markdown_and_not_of_html(run: InProcess) -> None:
    in_one_line = (
        "<h1>Title</h1><p>A first paragraph with some words.</p>"
        "<p>A second paragraph with more of them.</p>"
    )
    in_many = in_one_line.replace(">", "\n>").replace(" ", "\n")

    assert (
        fetch(run, in_one_line, offset=3, limit=1).answer
        == fetch(run, in_many, offset=3, limit=1).answer
    )
    assert (
        fetch(run, in_many, offset=3, limit=1).answer["content"]
        == "A first paragraph with some words."
    )


def test_offset_beyond_the_end_gives_empty_content_and_no_lines(run: InProcess) -> None:
    total = fetch(run).answer["lines_read"]

    assert fetch(run, offset=total + 1).answer == {"content": "", "lines_read": 0}
    assert fetch(run, offset=10**12, limit=5).answer == {"content": "", "lines_read": 0}


def test_limit_beyond_the_end_gives_the_rest_and_its_count(run: InProcess) -> None:
    total = fetch(run).answer["lines_read"]
    answer = fetch(run, offset=total - 1, limit=1000).answer

    assert answer["lines_read"] == 2
    assert answer["content"].endswith("The last paragraph.")


def test_error_response_for_a_page_that_cannot_be_fetched(run: InProcess) -> None:
    with Site(Answer(b"")) as site:
        pass  # nobody listens there any more

    assert (
        run(FETCH, {"url": site.origin}, site.environ).error
        == "Failed to fetch URL: Connection refused"
    )


def test_error_response_for_a_page_that_cannot_be_parsed(run: InProcess) -> None:
    with Site(
        Answer(bytes(range(256)) * 20, headers={"Content-Type": "application/octet-stream"})
    ) as site:
        done = run(FETCH, {"url": site.origin}, site.environ)

    assert done.error.startswith("Failed to parse HTML: ")


def test_fetch_exits_non_zero_on_failure() -> None:
    with Site(Answer(b"gone", 404)) as site:
        done = run_script(FETCH, {"url": f"{site.origin}/missing"}, site.environ)

    assert done.code == 1
    assert done.error.startswith("Failed to fetch URL: ")


def test_html_to_markdown_of_a_heading(run: InProcess) -> None:
    assert "# Page Title" in fetch(run).answer["content"].split("\n")


def test_html_to_markdown_of_a_paragraph_is_plain_text_with_a_blank_line(run: InProcess) -> None:
    lines = fetch(run).answer["content"].split("\n")

    assert lines[lines.index("The last paragraph.") - 1] == ""


def test_html_to_markdown_of_a_link(run: InProcess) -> None:
    assert "links to [another page](http://site.example/other) of" in fetch(run).answer["content"]


def test_html_to_markdown_of_a_list(run: InProcess) -> None:
    assert "- first point\n- second point" in fetch(run).answer["content"]


@pytest.mark.parametrize("gone", ["script text", "color: red", "Navigation text"])
def test_html_to_markdown_strips_scripts_styles_and_nav_elements(run: InProcess, gone: str) -> None:
    assert gone not in fetch(run).answer["content"]


def test_line_counting_and_limiting_happen_on_the_final_markdown(run: InProcess) -> None:
    whole = fetch(run).answer

    assert PAGE.count("\n") != whole["lines_read"]
    assert whole["lines_read"] == whole["content"].count("\n") + 1
    assert fetch(run, limit=1).answer == {"content": "# Page Title", "lines_read": 1}
