"""One page, one identity."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._search.identity import identity

SAME = [
    ("http://example.org/a", "https://example.org/a"),
    ("https://www.example.org/a", "https://example.org/a"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a?utm_source=x&utm_medium=y", "https://example.org/a"),
    ("https://example.org/a?fbclid=1&b=2", "https://example.org/a?b=2"),
    ("https://example.org/a?b=2&a=1", "https://example.org/a?a=1&b=2"),
    ("https://example.org/a/", "https://example.org/a"),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/index.html", "https://example.org/"),
    ("https://m.example.org/a", "https://example.org/a"),
    ("https://en.m.wikipedia.org/wiki/Otter", "https://en.wikipedia.org/wiki/Otter"),
    ("https://example.org/a/amp/", "https://example.org/a"),
    ("https://example.org/a?amp=1", "https://example.org/a"),
    ("https://amp.example.org/a", "https://example.org/a"),
    ("https://example.org/%7euser/caf%c3%a9", "https://example.org/~user/café"),
    ("https://example.org/a/../b/./c", "https://example.org/b/c"),
    ("https://example.org/a;jsessionid=ABC", "https://example.org/a"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://dx.doi.org/10.1000/ABC.1", "https://doi.org/10.1000/abc.1"),
    ("https://journal.example/doi/full/10.1000/abc.1", "https://doi.org/10.1000/abc.1"),
    ("https://arxiv.org/pdf/2301.01234v2.pdf", "https://arxiv.org/abs/2301.01234"),
    ("https://doi.org/10.48550/arXiv.2301.01234", "https://arxiv.org/abs/2301.01234"),
    ("https://arxiv.org/abs/hep-th/9901001v1", "https://export.arxiv.org/pdf/hep-th/9901001"),
    ("https://youtu.be/dQw4w9WgXcQ?t=3", "https://m.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ"),
    (
        "https://www.youtube.com/shorts/dQw4w9WgXcQ",
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
    ),
    ("https://example.org/wiki/Rust_%28language%29", "https://example.org/wiki/Rust_(language)"),
    ("https://example.org/%40user/Category%3ATea", "https://example.org/@user/Category:Tea"),
    ("https://example.org/?q=a+b", "https://example.org/?q=a%20b"),
    ("https://example.org/a?gad_source=1&pk_campaign=2&fb_action_ids=3", "https://example.org/a"),
    (
        "https://link.springer.com/article/10.1007/s11263-015-0816-y",
        "https://doi.org/10.1007/s11263-015-0816-y",
    ),
    (
        "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v1.full.pdf",
        "https://doi.org/10.1101/2020.01.30.927871",
    ),
    (
        "https://www.nature.com/articles/s41586-020-2649-2.pdf",
        "https://doi.org/10.1038/s41586-020-2649-2",
    ),
    (
        "https://www.frontiersin.org/articles/10.3389/fphys.2020.1/full",
        "https://doi.org/10.3389/fphys.2020.1",
    ),
    (
        "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.01",
        "https://doi.org/10.1371/journal.pone.01",
    ),
]

DIFFERENT = [
    ("https://example.org/a?page=1", "https://example.org/a?page=2"),
    ("https://example.org/a?id=1", "https://example.org/a?id=2"),
    ("https://example.org/watch?v=1", "https://example.org/watch?v=2"),
    ("https://example.org/a?ref=main", "https://example.org/a?ref=next"),
    ("https://example.org/a", "https://example.com/a"),
    ("https://example.org/a", "https://docs.example.org/a"),
    ("https://example.org:8080/a", "https://example.org/a"),
    ("https://example.org/A", "https://example.org/a"),
    ("https://example.org/#/one", "https://example.org/#/two"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/?x=1&x=2", "https://example.org/?x=2&x=1"),
    ("https://example.org/champ", "https://example.org/ch"),
    ("https://arxiv.org/abs/2301.01234", "https://arxiv.org/abs/2301.01235"),
    ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/watch?v=aaaaaaaaaaa"),
    ("https://m.example/", "https://example/"),
    ("https://example.org/a?pk_id=1", "https://example.org/a?pk_id=2"),
    ("https://example.org/?q=a%2Bb", "https://example.org/?q=a+b"),
    ("https://example.org/wiki/C%23", "https://example.org/wiki/C"),
    (
        "https://journals.plos.org/plosone/article?id=10.1371/a.1",
        "https://journals.plos.org/plosone/article?id=10.1371/a.2",
    ),
    (
        "https://journals.plos.org/plosone/search?q=otter",
        "https://journals.plos.org/plosone/search?q=seal",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_addresses_of_one_page_have_one_identity(one: str, other: str) -> None:
    assert identity(one) == identity(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_pages_have_two_identities(one: str, other: str) -> None:
    assert identity(one) != identity(other)


SEGMENTS = st.sampled_from(
    [
        "a",
        "amp",
        "AMP",
        "index.html",
        "..",
        ".",
        "doi",
        "10.1000",
        "abs",
        "2301.01234",
        "watch",
        "é",
        "%2F",
        "%7E",
        "x.amp",
        ";sid=1",
        "amp;sid=1",
        "c",
        "s",
        "x.example",
        "%28",
        "",
        "b c",
    ]
)
NAMES = st.sampled_from(["page", "id", "utm_source", "amp", "v", "ref", "q", "é", "%41", "fbclid"])
URLS = st.builds(
    lambda host, path, query, fragment: (
        f"https://{host}/{'/'.join(path)}?{'&'.join(query)}#{fragment}"
    ),
    st.sampled_from(
        [
            "example.org",
            "www.m.example.org",
            "amp.www.example.org:80",
            "doi.org",
            "arxiv.org",
            "youtu.be",
            "biorxiv.org",
            "EN.m.x.example",
        ]
    ),
    st.lists(SEGMENTS, max_size=6),
    st.lists(
        st.builds("{}={}".format, NAMES, st.sampled_from(["1", "2", "", "é", "%C3%A9"])), max_size=4
    ),
    st.sampled_from(["", "x", "!x", "/x"]),
)


@given(URLS)
@example("https://example.org/doi/10.1000/amp/%2F?#")
def test_identity_is_idempotent(url: str) -> None:
    assert identity(identity(url)) == identity(url)


@given(st.text())
def test_any_text_has_an_identity_that_is_its_own(text: str) -> None:
    assert identity(identity(text)) == identity(text)


@given(
    st.dictionaries(NAMES, st.sampled_from(["1", "2"]), min_size=1),
    st.randoms(use_true_random=False),
)
def test_the_order_of_parameters_does_not_matter(
    parameters: dict[str, str], chance: random.Random
) -> None:
    pairs = [f"{name}={value}" for name, value in parameters.items()]
    shuffled = pairs.copy()
    chance.shuffle(shuffled)
    assert identity("https://example.org/p?" + "&".join(pairs)) == identity(
        "https://example.org/p?" + "&".join(shuffled)
    )


def test_any_number_of_layers_of_amp_is_left() -> None:
    assert identity(f"https://a.example/tides{'/amp' * 2_000}") == "https://a.example/tides"
    assert identity(f"https://a.example{'/amp/index.html' * 500}") == "https://a.example/"


def test_an_address_whose_host_is_too_long_for_one_is_its_own_identity() -> None:
    address = "https://a" + "\u0316\u0301" * 2_000 + ".example/"

    assert identity(address) == address
