"""Pages that show nothing but a door: a form to log in, or the sentence that one must.

A login box on a page with text is one part of it among others. It is a wall when there is next to
no text beside it, and the title, the heading or a sentence says what it is for; a redirect from
elsewhere to a login page says so too. A link that asks to log in stands at the top of many pages.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from webquarry._read.html.traits import Traits, leads_to_login
from webquarry._read.text.words import Words
from webquarry._read.walls.first_look import FirstLook

_MOST_PROSE = 80
_MOST_WORDS = 150  # links included: the front page of a forum is all links, and has a login box
_MOST_PROSE_AFTER_REDIRECT = 150
_LONGEST_HEADLINE = 200  # characters
_MOST_FIELDS = 5  # of all forms together
_MOST_ORDER = 40  # where a sentence stands for the form
_OWN_PROSE = 10  # words; a page that says so much is there, whatever a link says
_LOGIN = (
    r"(?:log|sign)[- ]?(?:in|on)(?:to)?\b|anmelden\b|einloggen\b|anmeldung\b|se connecter\b"
    r"|connexion\b|identifiez-vous\b|inici[ae]r? sesi[oó]n\b|accedi\b|"
    r"iniciar sess[aã]o\b|inloggen\b|logga in\b|zaloguj\b|logowanie\b|войти|вход\b|авторизация"
    r"|ログイン"
    r"|サインイン|登录|登入|로그인"
)
_HEADLINE = re.compile(
    rf"(?i)^\W*(?:please |you (?:must|need to|have to) |bitte |welcome(?: back)?\W+"
    rf"|member |user |account |customer )*(?:{_LOGIN})"
    rf"|^[^|\-–—:·»]{{0,40}}[|\-–—:·»]\s*(?:{_LOGIN})[^|]{{0,25}}$|^authwall\b"
    rf"|^authentication required"
)
_REQUEST = re.compile(
    r"(?i)\b(?:please|must|need to|have to|required to|you'll need to|got to)\s+(?:first\s+)?"
    r"(?:be\s+)?(?:log(?:ged)?|sign(?:ed)?)[- ]?(?:in|on)\b"
    r"|\b(?:log|sign)[- ]?in (?:or (?:register|sign up|create an account|join)[^.]{0,20} )?"
    r"(?:to|and) (?:continue|view|see|read|access|proceed|get|watch|join|use)\b"
    r"|\b(?:log|sign)[- ]?in (?:is )?required\b"
    r"|\bonly (?:available )?(?:to|for) (?:logged|signed|registered)[- ]?(?:in|on)?\s?"
    r"(?:users|members)?\b"
    r"|\b(?:create|register) (?:an? )?(?:free )?account to (?:continue|view|see|read|access)\b"
    r"|(?:um fortzufahren|bitte) (?:melden|loggen) sie sich|connectez-vous pour|inicia sesión para"
    r"|войдите, чтобы|请(?:先)?登录|ログインしてください"
)
_REQUEST_LOOK = FirstLook(
    "please", "must", "need to", "have to", "required to", "got to", "login ", "log in ",
    "log-in ", "signin ", "sign in ", "sign-in ", "logged", "signed", "registered", "account to ",
    "sie sich", "connectez-vous pour", "inicia sesión para", "войдите, чтобы", "请登录", "请先登录",
    "ログインしてください",
)  # fmt: skip

# The same as an order to the visitor, where there is no form to confirm it.
_ORDER = re.compile(
    r"(?im)(?:^[^\w\n]*|[.!?]\s+)(?:please\s+"
    r"|you (?:must|need to|have to|are required to)\s+(?:be\s+)?"
    r"|to (?:continue|view|read|see|access)\b[^.\n]{0,40},\s*(?:please\s+)?)(?:first\s+)?"
    r"(?:log|sign)(?:ged|ned)?[- ]?(?:in|on)\b"
    r"|(?:^[^\w\n]*|[.!?]\s+)(?:log|sign)[- ]?in to (?:continue|view|see|read|access)\b"
    r"|(?:bitte|um fortzufahren) (?:melden|loggen) sie sich|connectez-vous pour|inicia sesión para"
    r"|войдите, чтобы"
    r"|请(?:先)?登录|ログインしてください"
)

# The link in the corner of a page that greets the visitor: beside a text it is no order.
_GREETING = re.compile(
    r"(?i)^\W*+(?:(?:hello|hi|hey|welcome|guest|hallo|bonjour|hola|亲|你好|您好|欢迎)\W*+){0,3}"
    r"(?:please (?:log|sign)[- ]?(?:in|on)(?: or (?:register|sign up|join))?"
    r"|bitte (?:melden|loggen) sie sich (?:an|ein)|请(?:先)?登录|ログインしてください)\W*+$"
)


def wants_login(url: str, requested_url: str, title: str, words: Words, traits: Traits) -> bool:
    """Whether a page only asks who you are."""
    is_redirected = _is_login_address(url) and not _is_login_address(requested_url)
    most_prose = _MOST_PROSE
    if is_redirected:
        most_prose = _MOST_PROSE_AFTER_REDIRECT
    if words.prose_count > most_prose:
        return False

    text = f"{title}\n{words.text}".replace("\u2019", "'")
    in_title = _HEADLINE.search(title[:_LONGEST_HEADLINE].strip()) is not None
    in_headline = in_title or any(
        _HEADLINE.search(heading[:_LONGEST_HEADLINE]) for heading in words.headings[:2]
    )
    in_sentence = _asks_for_login(text)
    has_form = traits.passwords > 0 or (traits.identity_field and in_headline)
    if is_redirected:
        return in_headline or in_sentence or has_form

    is_short = words.count < _MOST_WORDS
    if has_form and _has_only_login(traits):
        return in_title or (is_short and (in_headline or in_sentence))
    has_nothing_else = is_short and words.prose_count < _MOST_ORDER and traits.fields <= 1
    return has_nothing_else and traits.login_link and _gives_order(title, words)


def _asks_for_login(text: str) -> bool:
    """Whether a text asks to log in."""
    return _REQUEST_LOOK.may_match(text) and _REQUEST.search(text) is not None


def _gives_order(title: str, words: Words) -> bool:
    """Whether a page tells the visitor to log in, not only greets him so beside its text."""
    said = words.text
    if words.prose_count >= _OWN_PROSE:
        said = words.read_without_links(_GREETING)
    text = f"{title}\n{said}".replace("\u2019", "'")
    return _ORDER.search(text) is not None


def _has_only_login(traits: Traits) -> bool:
    """Whether there is no more to fill in than a login, a search and a newsletter."""
    if traits.passwords and traits.login_fields <= 2:
        return traits.fields <= _MOST_FIELDS
    return traits.fields <= 2


def _is_login_address(url: str) -> bool:
    """Whether host and path of a URL look like a place to log in."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return leads_to_login(host + parts.path)
