"""A page -> what the file takes of it: the page packed, and the tokens of its passages. It is made
here or in a worker process (the job `index page`), whichever has the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.workers.job import Job, job
from webquarry.library.models import KeptPage
from webquarry.library.packing import PackedPage, pack_page
from webquarry.library.passages import PagePassage, split_passages
from webquarry.library.terms import find_languages, name_language
from webquarry.library.tokens import TermTokens

_MOST_KEPT = 50_000  # words whose tokens a worker process remembers
_known: dict[str, TermTokens] = {}  # of a worker process, by key

Row = tuple[str, str, str]  # tokens of body, title and headings


@dataclass(frozen=True)
class IndexedPage:
    """What is written of a page: its bytes, still to be encrypted, and a row for each passage."""

    packed: bytes
    rows: Sequence[Row]


def index_page(owner: str, page: KeptPage, tokens: TermTokens) -> IndexedPage:
    """What is to be written of a page of this caller."""
    languages = find_languages(page.text.decode("utf-8", "replace"))
    passages = split_passages(page.text)
    bounds: list[int] = []
    if passages[-1].stop - passages[0].start < len(page.text) or len(passages) > 1:
        for passage in passages:
            bounds += (passage.start, passage.stop)
    kept = PackedPage(owner, languages, bounds, page)
    return IndexedPage(pack_page(kept), write_rows(kept, passages, tokens))


def write_rows(
    kept: PackedPage, passages: Sequence[PagePassage], tokens: TermTokens
) -> Sequence[Row]:
    """The tokens of body, title and headings of each passage of a page; with those of the first,
    its languages.
    """
    languages = kept.languages
    title = tokens.of_text(kept.page.title, languages)
    names = [tokens.of_term(name_language(one)) for one in languages.values() if one]
    rows = []
    for passage in passages:
        text = kept.page.text[passage.start : passage.stop].decode("utf-8", "replace")
        body = tokens.of_text(text, languages)
        headings = tokens.of_text(passage.headings, languages)
        rows.append((body, title, " ".join([headings, *names])))
        names = []
    return rows


def describe_job(owner: str, page: KeptPage, key: bytes) -> Job:
    """The same for a worker process, which is given the key of this caller's tokens alone."""
    arguments = {
        "owner": owner,
        "url": page.url,
        "title": page.title,
        "published": page.published,
        "key": key.hex(),
    }
    return Job(index_in_job, arguments, page.text, behind=True)


@job("index page")
def index_in_job(job: Job) -> bytes:
    """Do it there. No token has a tab or a line break in it."""
    arguments = job.arguments
    page = KeptPage(arguments["url"], arguments["title"], job.body, 0, arguments["published"])
    tokens = _get_tokens(arguments["key"])
    indexed = index_page(arguments["owner"], page, tokens)
    lines = "\n".join("\t".join((body, headings)) for body, _, headings in indexed.rows)
    fields = {"title": indexed.rows[0][1], "size": len(indexed.packed)}
    return pack_fields(fields, indexed.packed + lines.encode("ascii"))


def unpack_index(packed: bytes) -> IndexedPage:
    """What a worker process made."""
    fields, data = unpack_fields(packed)
    size = fields["size"]
    rows = []
    for line in data[size:].decode("ascii").split("\n"):
        body, _, headings = line.partition("\t")
        rows.append((body, fields["title"], headings))
    return IndexedPage(data[:size], rows)


def _get_tokens(key: str) -> TermTokens:
    """Those of the caller who was served last; another's are not kept beside them."""
    if key not in _known:
        _known.clear()
        _known[key] = TermTokens(bytes.fromhex(key), _MOST_KEPT)
    return _known[key]
