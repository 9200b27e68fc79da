"""Pages that show nothing but a door: a form to log in, or the sentence that one must.

A login box on a page with text is furniture. It is a wall when there is next to no text beside it,
and the title, the heading or a sentence says what it is for; a redirect from elsewhere to a login
page says so too.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from webquarry.read.html.traits import Traits, leads_to_login
from webquarry.read.text.words import Words

_MOST_PROSE = 80
_MOST_WORDS = 150  # links included: the front page of a forum is all links, and has a login box
_MOST_PROSE_AFTER_REDIRECT = 150
_MOST_ORDER = 40  # where a sentence stands for the form
_LOGIN = (
    r"(?:log|sign)[- ]?(?:in|on)(?:to)?\b|anmelden\b|einloggen\b|anmeldung\b|se connecter\b|connexion\b|identifiez-vous\b|inici[ae]r? sesi[oó]n\b|accedi\b|"
    r"iniciar sess[aã]o\b|inloggen\b|logga in\b|zaloguj\b|logowanie\b|войти|вход\b|авторизация|ログイン|サインイン|登录|登入|로그인"
)
_HEADLINE = re.compile(
    rf"(?i)^\W*(?:please |you (?:must|need to|have to) |bitte |welcome(?: back)?\W+(?:please )?|member |user |account |customer )*(?:{_LOGIN})"
    rf"|^[^|\-–—:·»]{{0,40}}[|\-–—:·»]\s*(?:{_LOGIN})[^|]{{0,25}}$|^authwall\b|^authentication required"
)
_TOLD = re.compile(
    r"(?i)\b(?:please|must|need to|have to|required to|you'll need to|got to)\s+(?:first\s+)?(?:be\s+)?(?:log(?:ged)?|sign(?:ed)?)[- ]?(?:in|on)\b"
    r"|\b(?:log|sign)[- ]?in (?:or (?:register|sign up|create an account|join)[^.]{0,20} )?(?:to|and) (?:continue|view|see|read|access|proceed|get|watch|join|use)\b"
    r"|\b(?:log|sign)[- ]?in (?:is )?required\b|\bonly (?:available )?(?:to|for) (?:logged|signed|registered)[- ]?(?:in|on)?\s?(?:users|members)?\b"
    r"|\b(?:create|register) (?:an? )?(?:free )?account to (?:continue|view|see|read|access)\b"
    r"|(?:um fortzufahren|bitte) (?:melden|loggen) sie sich|connectez-vous pour|inicia sesión para|войдите, чтобы|请(?:先)?登录|ログインしてください"
)

# The same as an order to the visitor, where there is no form to confirm it.
_ORDERED = re.compile(
    r"(?im)(?:^\W*|[.!?]\s+)(?:please\s+|you (?:must|need to|have to|are required to)\s+(?:be\s+)?"
    r"|to (?:continue|view|read|see|access)\b[^.\n]{0,40},\s*(?:please\s+)?)(?:first\s+)?(?:log|sign)(?:ged|ned)?[- ]?(?:in|on)\b"
    r"|(?:^\W*|[.!?]\s+)(?:log|sign)[- ]?in to (?:continue|view|see|read|access)\b"
    r"|(?:bitte|um fortzufahren) (?:melden|loggen) sie sich|connectez-vous pour|inicia sesión para|войдите, чтобы"
    r"|请(?:先)?登录|ログインしてください"
)


def wants_login(url: str, requested_url: str, title: str, words: Words, traits: Traits) -> bool:
    """Whether a page only asks who you are."""
    redirected = leads_to_login(_place(url)) and not leads_to_login(_place(requested_url))
    if words.prose_count > (_MOST_PROSE_AFTER_REDIRECT if redirected else _MOST_PROSE):
        return False
    titled = _HEADLINE.search(title[:200].strip()) is not None
    headed = titled or any(_HEADLINE.search(heading[:200]) for heading in words.headings[:2])
    told = _TOLD.search(f"{title}\n{words.text}".replace("\u2019", "'")) is not None
    form = traits.passwords > 0 or (traits.identity_field and headed)
    if redirected:
        return headed or told or form
    if form and traits.fields <= 2:
        return titled or (words.count < _MOST_WORDS and (headed or told))
    ordered = _ORDERED.search(f"{title}\n{words.text}".replace("\u2019", "'")) is not None
    return (
        ordered
        and traits.login_link
        and traits.fields <= 1
        and words.count < _MOST_WORDS
        and words.prose_count < _MOST_ORDER
    )


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}"
