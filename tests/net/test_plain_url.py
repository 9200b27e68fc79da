"""URLs that are put together without being parsed are those that httpx2 would have parsed."""

from __future__ import annotations

import copy
import pickle

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry.errors import Refused
from webquarry.net.guard.guard import Guard
from webquarry.net.guard.plain_url import PlainURL
from webquarry.net.guard.strict_url import MAX_LENGTH, parse_url, read_url

ASKED = (
    "scheme", "raw_scheme", "userinfo", "username", "password", "host", "raw_host", "port", "netloc",
    "path", "query", "params", "raw_path", "fragment", "is_absolute_url", "is_relative_url", "origin",
)  # fmt: skip
OF_A_REQUEST = ("scheme", "raw_scheme", "host", "raw_host", "netloc", "path", "raw_path")
PLAIN = [
    "http://example.org/",
    "https://example.org/a/b.html?q=a+b&c=%20d",
    "http://EXAMPLE.org:80/Case/Stays",
    "https://example.org:443/",
    "https://example.org:8443/?",
    "http://example.org./closing/dot",
    "http://192.0.2.1:8080/page/5/x1",
    "https://xn--mnchen-3ya.example/stra%C3%9Fe",
    "https://en.wikipedia.org/wiki/A_(b),_c;d=e@f:g!$&'*~[x]|y",
    "https://example.org//two//slashes/",
    "https://example.org/?a=[1]&b={2}^`|?/;:@",
    "https://example.org/a..b/c.d",
]
UNUSUAL = [
    "https://example.org",
    "HTTPS://example.org/",
    "https://example.org?q=1",
    "https://example.org/a/../b",
    "https://example.org/...x",
    "https://example.org/a/%2E%2e/b",
    "https://example.org/.well-known/x",
    "https://example.org/100%",
    "https://example.org/?share=100%",
    "https://example.org/a b",
    "https://example.org/ü",
    "https://münchen.example/",
    "https://[2001:db8::1]/",
    "https://example.org/?it's",
    "https://example.org/a#part",
]
LETTERS = "aZ09-._~!$&'()*+,;=:@/?#[]|^`{}% \\\"<>\t\x7fäß%2e%C3%A4"


def is_plain(url: str) -> bool:
    return isinstance(read_url(url), PlainURL)


@pytest.mark.parametrize("url", PLAIN)
def test_a_url_in_the_usual_spelling_is_not_parsed_for_a_request(url: str) -> None:
    read = read_url.__wrapped__(url)

    assert is_plain(url)
    assert all(getattr(read, name) is not None for name in OF_A_REQUEST)
    assert str(read)
    assert vars(read) == {}


@pytest.mark.parametrize("url", UNUSUAL)
def test_whatever_is_unusual_is_left_to_httpx2(url: str) -> None:
    assert not is_plain(url)


@pytest.mark.parametrize("url", [*PLAIN, *UNUSUAL])
@pytest.mark.parametrize("name", ASKED)
def test_a_url_says_of_itself_what_httpx2_says(url: str, name: str) -> None:
    assert getattr(read_url(url), name) == getattr(parse_url(url), name)


@pytest.mark.parametrize("url", PLAIN)
def test_a_url_does_what_one_of_httpx2_does(url: str) -> None:
    read, parsed = read_url(url), parse_url(url)

    assert read == parsed
    assert parsed == read
    assert hash(read) == hash(parsed)
    assert str(httpx2.URL(read)) == str(parsed)
    assert str(read.join("../x?y=z")) == str(parsed.join("../x?y=z"))
    assert str(read.copy_with(scheme="https", query=b"a=b")) == str(
        parsed.copy_with(scheme="https", query=b"a=b")
    )
    assert repr(httpx2.Request("GET", read).url) == repr(parsed)
    assert copy.copy(read) == copy.deepcopy(read) == pickle.loads(pickle.dumps(read)) == parsed


def test_a_url_lacks_what_no_url_has() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = read_url("http://example.org/").nothing  # type: ignore[attr-defined]


@settings(max_examples=400)
@given(
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "A.Example.:80", "a.example:443", "192.0.2.1:81", "x_y.example"]),
    st.lists(st.sampled_from([*LETTERS, "%2e", "%C3%A4", "..", "page"]), max_size=12).map("".join),
)
@example("http", "a.example", "a%2")
@example("http", "a.example", "?%2")
def test_any_url_is_either_refused_or_read_as_httpx2_reads_it(
    scheme: str, host: str, rest: str
) -> None:
    url = f"{scheme}://{host}/{rest}"
    try:
        read = read_url(url)
    except Refused:
        return
    parsed = parse_url(url)

    assert {name: getattr(read, name) for name in ASKED} == {
        name: getattr(parsed, name) for name in ASKED
    }
    assert str(read) == str(parsed)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example:22/",
        "http://a.example:65536/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://a..example/",
        "http://-:80:/",
        "http://xn--a/",
        f"http://{'a' * 64}.example/",
        f"http://a.example/{'a' * MAX_LENGTH}",
    ],
)
def test_the_usual_spelling_excuses_nothing(url: str) -> None:
    with pytest.raises(Refused):
        read_url(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://10.0.0.1:81/x"])
def test_the_host_of_a_url_that_was_read_is_judged_each_time(url: str) -> None:
    read = read_url(url)

    assert Guard(allow_private=True).check_url(read) is read
    with pytest.raises(Refused):
        Guard().check_url(read)
