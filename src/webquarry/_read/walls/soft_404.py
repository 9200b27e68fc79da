"""Pages that say there is no such page, with a status code that says all is well.

The heading or the title must say so in so many words, and a sentence must say it to the visitor; or
the heading says it and hardly anything follows. A page about the number 404, or about how to design
an error page, has neither.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from webquarry._read.text.words import Words
from webquarry._read.walls.first_look import FirstLook

_MOST_PROSE = 120
_BARE_PROSE = 50
_LONGEST_HEADLINE = 200  # characters
_HEADLINE = re.compile(
    r"(?i)^\W*(?:(?:error|fehler|erreur|http)\s*)?(?:404|410)?\W*(?:error\W*)?"
    r"(?:oops\W*|sorry\W*|uh[- ]oh\W*)?"
    r"(?:(?:that|this|the|your) )?(?:requested )?"
    r"(?:(?:page|url|file|document|article|resource)\s+(?:(?:was|is|could|can)\s*)?"
    r"(?:not|n't|cannot be|couldn't be|can't be|no longer)\s+(?:be )?(?:found|available|exists?)"
    r"|page (?:does not|doesn't) exist|page (?:isn't|is not) available"
    r"|content (?:isn't|is not) available(?: right now| at the moment| any ?more)?"
    r"|not found|we (?:can't|cannot|couldn't) find (?:that|this|the) page"
    r"|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)"
    r"|p[aá]gina (?:no encontrada|não encontrada|non trovata|niet gevonden)"
    r"|страница не найдена|nie znaleziono strony|ページが見つかりません(?:でした)?"
    r"|页面(?:不存在|未找到)|找不到(?:页面|頁面)"
    r"|페이지를 찾을 수 없습니다)"
    r"(?:\W+(?:404|410|error|\(404\)))*(?:\s*[|\-–—:·»].*|[.!]\s+(?:sorry|please|try)\b.*)?[\W1]*$"
)
_BARE_NUMBER = re.compile(
    r"(?i)^\W*(?:(?:error|fehler|erreur|http)\W*)?(?:404|410)(?:\W*error)?(?:\s*[|\-–—:·»].*)?\W*$"
    r"|^\W*(?:oops|whoops|uh[- ]?oh|sorry|hmm|error|are you lost|lost)\W*$"
)
_NOTICE = re.compile(
    r"(?i)\b(?:page|url|link|file|document|article|content|item|listing|address|resource)\b.{0,40}"
    r"\byou(?:'re| are| were|'ve| have)?\b.{0,60}"
    r"\b(?:not|n't|no longer|cannot|can't|couldn't|moved|removed|deleted|gone|missing)\b"
    r"|\b(?:can't|cannot|couldn't|could not|unable to) (?:seem to )?(?:find|locate)\b.{0,20}\b"
    r"(?:page|url|file|content)\b"
    r"|\b(?:requested|this|that|the) (?:page|url|file|content|document|article)\b.{0,60}"
    r"\b(?:not found|n't exist|not exist|no longer (?:exists?|available)|not be found|n't be found"
    r"|isn't available|is not available|unavailable|been (?:moved|removed|deleted))"
    r"|\bnothing was found at this location\b"
    r"|\b(?:may|might) have (?:been )?(?:moved|removed|deleted|expired|typed)\b"
    r"|\bdie (?:von ihnen )?(?:angeforderte|gesuchte|aufgerufene) seite\b.{0,60}\bnicht\b"
    r"|\bla page (?:demandée|que vous)\b.{0,60}\b(?:pas|plus|introuvable)\b"
    r"|\bla página (?:que|solicitada)\b.{0,60}\bno\b|\bla pagina (?:che|richiesta)\b.{0,60}\bnon\b"
    r"|запр(?:ашиваемая|ошенная) .{0,20}страниц.{0,60}не"
    r"|お探しのページ|您(?:访问|请求|要找)的?页面"
)
_NOTICE_LOOK = FirstLook(
    "you", "can't", "cannot", "couldn't", "could not", "unable to", "not found", "not exist",
    "n't exist", "no longer ", "not be found", "n't be found", "n't available", "not available",
    "unavailable", "been moved", "been removed", "been deleted", "nothing was found", "may have ",
    "might have ", "angeforderte", "gesuchte", "aufgerufene", "la page ", "la página ",
    "la pagina ", "запр", "お探しのページ", "您访问", "您请求", "您要找",
)  # fmt: skip
_MISSING_PATH = re.compile(r"(?i)/(?:404|error-?404|not-?found|page-?not-?found)(?:\.\w+)?/?$")


def is_soft_404(url: str, title: str, words: Words) -> bool:
    """Whether a page tells its visitor that it does not exist."""
    if words.prose_count > _MOST_PROSE:
        return False
    text = words.text.replace("\u2019", "'")
    headlines = [title, *words.headings[:2]]
    headlines = [line[:_LONGEST_HEADLINE].replace("\u2019", "'") for line in headlines]
    sentence_says_so = _NOTICE_LOOK.may_match(text) and _NOTICE.search(text) is not None
    headline_says_so = any(_HEADLINE.match(line) for line in headlines)
    if headline_says_so:
        return sentence_says_so or words.prose_count < _BARE_PROSE
    if not sentence_says_so:
        return False
    if any(_BARE_NUMBER.match(line) for line in headlines):
        return True
    return _MISSING_PATH.search(urlsplit(url).path) is not None
