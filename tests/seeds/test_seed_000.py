"""Seed 000, row by row: the three executables. Each test is named after the row it stands for."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.executables import (
    BRAVE,
    FETCH,
    GOOGLE,
    KEYS,
    SCRIPTS,
    Answer,
    Asked,
    Done,
    InProcess,
    Site,
    as_json,
    run_script,
    script_path,
)
from tests.search.replies import recorded, status_of

SEED = Path(__file__).with_name("000_a207db76786f23a0.txt").read_text("utf-8")
SECTIONS = dict(zip(SCRIPTS, SEED.split("\n---\n"), strict=False))  # in the seed's own order
BLOCKS: dict[str, list[str]] = {
    script: re.findall(r"```json\n(.*?\n)```", section, re.DOTALL) for script, section in SECTIONS.items()
}
SEARCHES = (BRAVE, GOOGLE)
REPLIES = {BRAVE: "brave/web_ok", GOOGLE: "google/web_ok"}
INVALID = {BRAVE: "brave/error_422_token_invalid", GOOGLE: "google/error_400_key_invalid"}
QUERY = {"query": "tidal turbine"}

each_script = pytest.mark.parametrize("script", SCRIPTS)
each_search = pytest.mark.parametrize("script", SEARCHES)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    return InProcess(monkeypatch)


def seed_json(script: str, key: str) -> Any:
    """The example in a script's section of the seed whose object has this key."""
    return next(found for block in BLOCKS[script] if key in (found := json.loads(block)))


def seed_schema(script: str) -> str:
    return next(block for block in BLOCKS[script] if "parameters" in json.loads(block))


def search(run: InProcess, script: str, given: dict[str, Any], answer: Any = None) -> tuple[Done, Site]:
    """Run a search against a provider that gives this answer, or the recorded one."""
    with Site(as_json(answer if answer is not None else recorded(REPLIES[script]))) as site:
        return run(script, given, site.environ), site


def hits(script: str, *found: dict[str, str]) -> Any:
    """A provider's reply with these results, which are given in the seed's own words."""
    if script == BRAVE:
        return {"query": {}, "web": {"results": [dict(hit, page_age=hit.get("published_date")) for hit in found]}}
    items = [
        {
            "title": hit["title"],
            "link": hit["url"],
            "snippet": hit["description"],
            "pagemap": {"metatags": [{"date": hit.get("published_date")}]},
        }
        for hit in found
    ]
    return {"queries": {"request": [{}]}, "items": items}


def hit(url: str, **more: str) -> dict[str, str]:
    return {"title": "Title", "url": url, "description": "Text", **more}


# --- web-search-brave-tool, and web-search-google-tool, which is identical -------------------------------------------


@each_script
def test_external_executable_is_installed_under_its_name(script: str) -> None:
    assert Path(script_path(script)).is_file()
    assert f"External executable: `{script}`" in SEED


@each_script
def test_tool_name_in_api_is_that_of_the_schema(run: InProcess, script: str) -> None:
    name = run(script, flags=("--schema",)).stdout
    assert json.loads(name)["name"] == seed_json(script, "parameters")["name"]


@each_script
def test_schema_flag_prints_the_seeds_block_to_the_byte(script: str) -> None:
    done = run_script(script, flags=("--schema",))

    assert done.stdout.decode("utf-8") == seed_schema(script)
    assert (done.code, done.stderr) == (0, "")


def test_provider_of_web_search_brave_is_the_brave_search_api(run: InProcess) -> None:
    _, site = search(run, BRAVE, QUERY)

    assert site.asked[0].target.startswith("/res/v1/web/search?q=tidal+turbine&")
    assert site.asked[0].headers["x-subscription-token"] == KEYS["BRAVE_API_KEY"]


def test_provider_of_web_search_google_is_the_google_custom_search_api(run: InProcess) -> None:
    _, site = search(run, GOOGLE, QUERY)

    assert site.asked[0].target.startswith("/customsearch/v1?")
    assert site.asked[0].headers["x-goog-api-key"] == KEYS["GOOGLE_SEARCH_API_KEY"]


@each_search
def test_request_format_of_the_seed_is_taken_on_stdin(run: InProcess, script: str) -> None:
    given = seed_json(BRAVE, "allowed_domains")
    done, site = search(run, script, given, hits(script, hit("https://example.com/page"), hit("https://spam.com/")))

    assert [result["url"] for result in done.answer["results"]] == ["https://example.com/page"]
    assert "q=search+query+string" in site.asked[0].target


@each_search
@pytest.mark.parametrize("given", [{}, {"query": None}, {"allowed_domains": ["a.org"]}])
def test_field_query_is_required(run: InProcess, script: str, given: dict[str, Any]) -> None:
    assert run(script, given).error == "The field 'query' is missing."


@each_search
@pytest.mark.parametrize("query", ["", "x"])
def test_field_query_has_at_least_two_characters(run: InProcess, script: str, query: str) -> None:
    assert run(script, {"query": query}).error.endswith("should have at least 2 characters.")


@each_search
@pytest.mark.parametrize("query", [5, ["tidal"], {"text": "tidal"}, True])
def test_field_query_is_a_string(run: InProcess, script: str, query: object) -> None:
    assert run(script, {"query": query}).error.endswith("should be a valid string.")


@each_search
def test_field_allowed_domains_is_a_whitelist(run: InProcess, script: str) -> None:
    found = [
        hit("https://duckdb.org/a"),
        hit("https://docs.duckdb.org/b"),
        hit("https://notduckdb.org/"),
        hit("https://a.org/"),
    ]
    done, _ = search(run, script, {**QUERY, "allowed_domains": ["duckdb.org"]}, hits(script, *found))

    assert [result["url"] for result in done.answer["results"]] == ["https://duckdb.org/a", "https://docs.duckdb.org/b"]


@each_search
def test_field_blocked_domains_is_a_blacklist(run: InProcess, script: str) -> None:
    found = [hit("https://spam.com/a"), hit("https://www.spam.com/b"), hit("https://notspam.com/")]
    done, _ = search(run, script, {**QUERY, "blocked_domains": ["spam.com"]}, hits(script, *found))

    assert [result["url"] for result in done.answer["results"]] == ["https://notspam.com/"]


@each_search
@pytest.mark.parametrize("field", ["allowed_domains", "blocked_domains"])
@pytest.mark.parametrize("value", ["duckdb.org", [5], {"a": "b"}])
def test_the_domain_fields_are_arrays_of_strings(run: InProcess, script: str, field: str, value: object) -> None:
    assert f"The field '{field}" in run(script, {**QUERY, field: value}).error


@each_search
def test_the_domain_fields_are_optional(run: InProcess, script: str) -> None:
    done, _ = search(run, script, QUERY)

    assert done.code == 0


@each_search
def test_response_format_is_the_seeds_to_the_key_and_its_order(script: str) -> None:
    wanted = seed_json(BRAVE, "results")
    with Site(as_json(hits(script, *wanted["results"]))) as site:
        done = run_script(script, QUERY, site.environ)

    assert done.code == 0
    assert json.dumps(done.answer) == json.dumps(wanted)


@each_search
def test_field_results_is_an_array_and_empty_when_nothing_was_found(run: InProcess, script: str) -> None:
    nothing = recorded("brave/web_no_results" if script == BRAVE else "google/web_zero_results")
    done, _ = search(run, script, QUERY, nothing)

    assert (done.code, done.answer) == (0, {"results": []})


@each_search
def test_fields_title_and_description_are_plain_text(run: InProcess, script: str) -> None:
    done, _ = search(run, script, QUERY)

    for result in done.answer["results"]:
        assert all(
            result[field] and not re.search(r"[<>\n]|&\w+;", result[field]) for field in ("title", "description")
        )


@each_search
def test_field_url_is_a_full_url(run: InProcess, script: str) -> None:
    done, _ = search(run, script, QUERY, hits(script, hit("/relative"), hit("ftp://a.org/"), hit("https://a.org/page")))

    assert [result["url"] for result in done.answer["results"]] == ["https://a.org/page"]


@each_search
def test_field_published_date_is_iso_8601_or_absent(run: InProcess, script: str) -> None:
    found = [
        hit("https://a.org/1", published_date="2026-01-16T12:00:00Z"),
        hit("https://a.org/2", published_date="2 days ago"),
        hit("https://a.org/3"),
    ]
    done, _ = search(run, script, QUERY, hits(script, *found))

    dates = [result.get("published_date", "absent") for result in done.answer["results"]]
    assert dates == ["2026-01-16T12:00:00Z", "absent", "absent"]


@each_search
def test_error_response_for_missing_credentials_is_word_for_word(script: str) -> None:
    done = run_script(script, QUERY)

    assert done.answer == seed_json(script, "error")


@each_search
def test_error_response_for_invalid_credentials_is_word_for_word(script: str) -> None:
    with Site(as_json(recorded(INVALID[script]), status_of(INVALID[script]))) as site:
        done = run_script(script, QUERY, site.environ)

    assert done.answer == seed_json(script, "error")


@each_search
@pytest.mark.parametrize("cause", ["missing", "invalid", "bad input"])
def test_non_zero_exit_code_indicates_failure(run: InProcess, script: str, cause: str) -> None:
    with Site(as_json(recorded(INVALID[script]), status_of(INVALID[script]))) as site:
        environ = site.environ if cause == "invalid" else {}
        done = run(script, {} if cause == "bad input" else QUERY, environ)

    assert done.code == 1
    assert list(done.answer) == ["error"]


@pytest.mark.parametrize(
    "given", [QUERY, {**QUERY, "allowed_domains": ["a.org"]}, {"query": "x"}, {"query": "xx", "limit": 1}, {}]
)
def test_google_request_and_response_formats_are_identical_to_braves(run: InProcess, given: dict[str, Any]) -> None:
    found = [hit("https://a.org/", published_date="2026-01-16"), hit("https://b.org/")]
    answers = [search(run, script, given, hits(script, *found))[0] for script in SEARCHES]

    assert answers[0].stdout == answers[1].stdout
    assert answers[0].code == answers[1].code


# --- web-fetch-tool ----------------------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>A page</title><style>p { color: red }</style>
<script>var hidden = "script text";</script></head><body>
<nav><a href="/home">Navigation text</a></nav>
<h1>Page Title</h1>
<p>The first paragraph says something, and links to <a href="/other">another page</a> of the site.</p>
<ul><li>first point</li><li>second point</li></ul>
<p>The last paragraph.</p>
</body></html>"""


def fetch(run: InProcess, html: str = PAGE, **given: Any) -> Done:
    """Fetch a page from a site whose address, which differs from run to run, is shown as site.example."""
    with Site(Answer(html.encode())) as site:
        done = run(FETCH, {"url": f"{site.origin}/page", **given}, site.environ)
    return replace(done, stdout=done.stdout.replace(site.origin.encode(), b"http://site.example"))


def numbered(count: int) -> str:
    """A page of so many lines of Markdown, each a preformatted one; the fence adds two."""
    return "<pre>" + "\n".join(f"line {number} of the page" for number in range(1, count + 1)) + "</pre>"


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


@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "example.com/page", "not a url", ""])
def test_field_url_is_an_http_or_https_url(run: InProcess, url: str) -> None:
    assert run(FETCH, {"url": url}).error.startswith("Failed to fetch URL: ")


@pytest.mark.parametrize("field", ["offset", "limit"])
@pytest.mark.parametrize("value", [0, -1])
def test_fields_offset_and_limit_are_at_least_one(run: InProcess, field: str, value: int) -> None:
    assert "greater than or equal to 1" in run(FETCH, {"url": "https://example.com/", field: value}).error


@pytest.mark.parametrize("field", ["offset", "limit"])
@pytest.mark.parametrize("value", ["5", 1.5, True, [1]])
def test_fields_offset_and_limit_are_integers(run: InProcess, field: str, value: object) -> None:
    assert f"The field '{field}' does not fit" in run(FETCH, {"url": "https://example.com/", field: value}).error


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
    for answer in (fetch(run).answer, fetch(run, offset=2).answer, fetch(run, offset=2, limit=2).answer):
        assert answer["lines_read"] == len(answer["content"].split("\n"))


def test_processing_fetch_parse_convert_then_apply_offset_and_limit(run: InProcess) -> None:
    whole = fetch(run).answer["content"].split("\n")

    assert whole[0] == "# Page Title"
    assert fetch(run, offset=2, limit=4).answer == {"content": "\n".join(whole[1:5]), "lines_read": 4}


def test_offset_and_limit_count_lines_of_markdown_and_not_of_html(run: InProcess) -> None:
    in_one_line = "<h1>Title</h1><p>A first paragraph with some words.</p><p>A second paragraph with more of them.</p>"
    in_many = in_one_line.replace(">", "\n>").replace(" ", "\n")

    assert fetch(run, in_one_line, offset=3, limit=1).answer == fetch(run, in_many, offset=3, limit=1).answer
    assert fetch(run, in_many, offset=3, limit=1).answer["content"] == "A first paragraph with some words."


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

    assert run(FETCH, {"url": site.origin}, site.environ).error == "Failed to fetch URL: Connection refused"


def test_error_response_for_a_page_that_cannot_be_parsed(run: InProcess) -> None:
    with Site(Answer(bytes(range(256)) * 20, headers={"Content-Type": "application/octet-stream"})) as site:
        done = run(FETCH, {"url": site.origin}, site.environ)

    assert done.error.startswith("Failed to parse HTML: ")


def test_fetch_exits_non_zero_on_failure() -> None:
    with Site(Answer(b"gone", 404)) as site:
        done = run_script(FETCH, {"url": f"{site.origin}/missing"}, site.environ)

    assert done.code == 1
    assert done.error.startswith("Failed to fetch URL: ")


# --- Implementation notes ----------------------------------------------------------------------------------------------


def test_the_search_schemas_are_byte_identical_but_for_name_and_provider(run: InProcess) -> None:
    brave, google = (run(script, flags=("--schema",)).stdout for script in SEARCHES)

    assert brave != google
    assert (
        brave.replace(b"web_search_brave", b"web_search_google").replace(
            b"using Brave Search API", b"using Google Custom Search API"
        )
        == google
    )


CREDENTIAL_FILES = {
    "BRAVE_API_KEY": "brave-api-key",
    "GOOGLE_SEARCH_API_KEY": "google-api-key",
    "GOOGLE_SEARCH_ENGINE_ID": "google-engine-id",
}


def files_at(home: Path) -> None:
    folder = home / ".config" / "ikigai"
    folder.mkdir(parents=True)
    for variable, name in CREDENTIAL_FILES.items():
        (folder / name).write_text(f"from-file-{KEYS[variable]}\n")
        (folder / name).chmod(0o600)


def key_sent(asked: Asked) -> str:
    return asked.headers.get("x-subscription-token") or asked.headers["x-goog-api-key"]


@each_search
def test_credential_discovery_takes_the_environment_variable_first(run: InProcess, tmp_path: Path, script: str) -> None:
    files_at(tmp_path)
    with Site(as_json(recorded(REPLIES[script]))) as site:
        run(script, QUERY, site.environ | {"HOME": str(tmp_path)})

    assert key_sent(site.asked[0]) in KEYS.values()


@each_search
def test_credential_discovery_takes_the_file_in_the_config_folder_second(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    files_at(tmp_path)
    with Site(as_json(recorded(REPLIES[script]))) as site:
        environ = {name: value for name, value in site.environ.items() if name not in KEYS}
        done = run(script, QUERY, environ | {"HOME": str(tmp_path)})

    assert done.code == 0
    assert key_sent(site.asked[0]).startswith("from-file-")


@each_search
def test_credential_discovery_ends_with_a_helpful_error(run: InProcess, tmp_path: Path, script: str) -> None:
    done = run(script, QUERY, {"HOME": str(tmp_path)})

    assert done.answer == seed_json(script, "error")
    assert "auth" in done.stderr


@pytest.mark.parametrize("script", SEARCHES)
def test_each_tool_discovers_its_credentials_independently(run: InProcess, script: str) -> None:
    own = "BRAVE" if script == BRAVE else "GOOGLE"
    with Site(as_json(recorded(REPLIES[script]))) as site:
        environ = {name: value for name, value in site.environ.items() if name not in KEYS or name.startswith(own)}
        done = run(script, QUERY, environ)

    assert done.code == 0


def test_output_mapping_of_brave(run: InProcess) -> None:
    done, _ = search(run, BRAVE, QUERY)

    assert done.answer["results"][0] == {
        "title": "Tidal Turbine O&M: what it really costs",
        "url": "https://www.example-marine.org/om-cost-study",
        "description": "A five-year study puts maintenance at 28% of lifetime cost for seabed mounted machines.",
        "published_date": "2026-04-12T14:22:41",
    }


def test_output_mapping_of_google(run: InProcess) -> None:
    done, _ = search(run, GOOGLE, QUERY)

    assert done.answer["results"][0] == {
        "title": "Tidal turbine seals: field notes",
        "url": "https://www.example-marine.org/seals",
        "description": "Mar 3, 2026 ... Notes from three retrievals and what wore out first.",
        "published_date": "2026-03-03T08:15:00+00:00",
    }


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
