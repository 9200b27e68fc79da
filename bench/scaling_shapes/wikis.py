"""Pages of MediaWikis: what articles are made of, and the signs that a page is one."""

from __future__ import annotations

from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import PROSE, read_page, reply_of
from webquarry.net.models import Reply

_SETTINGS = (
    'RLCONF={"wgNamespaceNumber":0,"wgPageName":"Tide","wgCurRevisionId":7,"wgRevisionId":7,'
    '"wgArticleId":7,"wgIsArticle":true,"wgAction":"view","wgCategories":["Tides"]'
)
_BODIES = {
    "navboxes": "<b class='navbox'></b>x#",
    "links for editors": "<h2>Tide #<span class='mw-editsection'>[<a href='/e'>edit</a>]</span></h2>",
    "red links": "<a class='new' href='/w?title=T#&amp;redlink=1'>T#</a> ",
    "infoboxes": "<aside class='portable-infobox'><div class='pi-data'><h3 class='pi-data-label'>"
    "a#</h3><div class='pi-data-value'>b</div></div></aside>",
    "infoboxes in infoboxes": "<aside class='portable-infobox'><section class='pi-group'>",
    "headings of infoboxes": "<aside class='portable-infobox'><h2 class='pi-header'>a</h2></aside>",
    "references": "<sup id='cite_ref-#'><a href='#cite_note-#'>[#]</a></sup>"
    "<ol class='references'><li id='cite_note-#'>Note</li></ol>",
    "paragraphs in tables in paragraphs": "<p><table><tr><td>",
    "articles in articles": "<div class='mw-parser-output' id='mw-content-text'>a",
    "fallbacks": "<noscript><p>a #</p></noscript>",
}
_HEADS = {
    "settings": '"wgPageName":"',
    "open names": '"wgPageName":"a\\\\',
    "categories": '"wgCategories":["a","b",',
    "numbers": '"wgRevisionId":    ',
    "interfaces": "<link rel='EditURI' href='/api.php'>",
    "open links": "<link rel='EditURI' href='/api.php' ",
    "bodies": "<body class='mediawiki' ",
}


def _build_page(body: str, more: str = "") -> Reply:
    """A page of a wiki with some prose before the body; more is said in its head."""
    return reply_of(
        f"<!doctype html><html><head><title>Tide</title><script>{_SETTINGS}{more}}};</script>"
        "<meta name='generator' content='MediaWiki 1.43.3'>"
        "<link rel='EditURI' href='https://bench.example/api.php?action=rsd'></head>"
        "<body class='mediawiki ns-0 action-view'><h1 id='firstHeading'>Tide</h1>"
        f"<div id='mw-content-text'>{PROSE}{body}</div></body></html>"
    )


def _article(piece: str, size: int) -> Reply:
    return _build_page(number(piece, size))


def _head(piece: str, size: int) -> Reply:
    return _build_page("", f"}};</script>{repeat(piece, size)}<script>RLCONF={{")


def _settings(piece: str, size: int) -> Reply:
    return _build_page("", repeat(piece, size))


SHAPES = [
    *(Shape(f"wiki: {name}", partial(_article, body), read_page) for name, body in _BODIES.items()),
    *(Shape(f"wiki head: {name}", partial(_head, one), read_page) for name, one in _HEADS.items()),
    *(
        Shape(f"wiki settings: {name}", partial(_settings, one), read_page)
        for name, one in _HEADS.items()
    ),
]
