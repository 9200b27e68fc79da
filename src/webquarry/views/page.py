"""The stored text of a page with the quotes that were compared with it marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry.errors import BadInput, WebquarryError
from webquarry.pages.clean import clean_line
from webquarry.secret import redact
from webquarry.sessions.models import KeptQuote
from webquarry.sessions.views import format_time
from webquarry.views.describe import describe_page
from webquarry.views.marked_text import PlacedQuote, cut_text, place_quotes
from webquarry.views.sessions import read_sessions

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit


async def show_page(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The stored text of a page, its quotes marked. What is not kept is not fetched unless that is
    asked for.
    """
    url = parameters.get("url", "").strip()
    if not url:
        raise BadInput("No address was given.", suggested_action="Open a page from Sources.")
    quotes = await _list_quotes(kit, url, parameters.get("session"))
    passage = parameters.get("find", "")
    if passage:
        quotes.append(KeptQuote(passage, "passage", url, matched=(passage,)))
    answer = {**describe_page(url, ""), "kept": False, "quotes": [], "pieces": []}
    words = None
    for address in dict.fromkeys([*(quote.url for quote in quotes), url]):
        words = words or await kit.pages.find_kept_words(address)
    if words is None and parameters.get("read"):
        try:
            words = await kit.pages.get_words(quotes[0].url if quotes else url)
        except WebquarryError as error:
            if not quotes:
                raise
            answer["problem"] = redact(error.sentence)
    if words is None:  # then the words that stood there are all there is
        answer["quotes"] = [PlacedQuote(quote, (), "gone").as_dict() for quote in quotes]
        return answer
    placed = place_quotes(words.words, quotes)
    return {
        **answer,
        "kept": True,
        "title": clean_line(words.title),
        "readAt": format_time(words.fetched_at),
        "textHash": words.words.digest,
        "characters": len(words.words.text),
        "quotes": [one.as_dict() for one in placed],
        "pieces": cut_text(words.words, placed),
    }


async def _list_quotes(kit: Toolkit, url: str, id: str | None) -> list[KeptQuote]:
    """The quotes that were compared with a page, in one session or in all."""
    if id:
        sessions = [await kit.sessions.read(id)]
    else:
        sessions = await read_sessions(kit)
    page = identity(url)
    quotes: dict[tuple[str, str], KeptQuote] = {}
    for session in sessions:
        for source in session.sources:
            if identity(source.source.url) != page:
                continue
            for quote in source.quotes:
                quotes[quote.text, quote.text_hash] = quote
    return list(quotes.values())
