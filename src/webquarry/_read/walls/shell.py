"""A short page -> whether its scripts would bring what it is about: a shell, a skeleton, a raw
template, a page that only sends the browser on.

Asked only of pages that say little, or that show signs of a template. Scripts must be there that
may change the page; one that counts visits does not make a shell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from webquarry._read.format import ConvertedDocument
from webquarry._read.html.traits import Traits
from webquarry._read.style.reveal import Scripts
from webquarry._read.text.search import WordSearch
from webquarry._read.text.words import Words, count_words
from webquarry._read.walls.first_look import FirstLook

# Whether a page is nothing without its scripts, or may only be more with them.
Need = Literal["", "may", "must"]

_SHELL_WORDS = 50  # around a place that scripts would fill
_NOTICE_WORDS = 15  # beside a request to turn scripts on
_THIN_WORDS = 10
_FRAME_WORDS = 25
_MENU_WORDS = 400
_TEMPLATE_WORDS = 150  # of a page on which two templates, or a line that it loads, are enough
_FEW_TEMPLATES = 2
_MANY_TEMPLATES = 5
_TEMPLATE_PART = 0.3  # of the words, in lines with templates
_NEEDS_SCRIPTS = re.compile(
    r"(?i)(?:enable|activate|turn on|allow|requires?|needs?|without|supports?)\s+"
    r"(?:\w+\s+){0,3}(?:java\s?script|scripts)\b"
    r"|java\s?script\s+(?:\w+\s+){0,3}"
    r"(?:disabled|enabled|required|needed|turned off|not available|unavailable|to run|in order)"
    r"|(?:activer?|activez|aktivieren|habilit[ae]r?|attiva(?:re)?|ativ[ae]|включите|włącz)\s+"
    r"(?:\S+\s+){0,2}java\s?script"
    r"|java\s?script\s*(?:を有効|が無効|aktivieren|désactivé|deaktiviert|отключен)|启用\s*java\s?script"
)
_LOADING = re.compile(
    r"(?i)^\W*(?:(?:now |still |please wait,? )?(?:loading|fetching|retrieving|initiali[sz]ing"
    r"|preparing|starting(?: up)?)|please wait|hang on|one moment|wird geladen|lade(?:n|t)?"
    r"|chargement|cargando|caricamento|carregando|загрузка|加载中|読み込み中|로딩)\b.{0,40}$"
    r"|(?i:\bis (?:loading|being loaded)\W*$)"
)
_REDIRECTING = re.compile(
    r"(?i)\b(?:you (?:are being|will be|should be) (?:automatically )?(?:re-?directed|forwarded"
    r"|taken)|redirecting|sie werden (?:automatisch )?weitergeleitet|weiterleitung"
    r"|vous (?:allez être|êtes) redirigé|redirection|redirigiendo|reindirizzamento"
    r"|перенаправ)"
)
# One of these is in all that the three patterns match.
_NOTICE_LOOK = FirstLook(
    "script", "loading", "fetching", "retrieving", "initiali", "preparing", "starting",
    "please wait", "hang on", "one moment", "wird geladen", "lade", "chargement", "cargando",
    "caricamento", "carregando", "загрузка", "加载中", "読み込み中", "로딩", "being loaded",
    "you are being", "you will be", "you should be", "redirecting", "weitergeleitet",
    "weiterleitung", "redirigé", "redirection", "redirigiendo", "reindirizzamento", "перенаправ",
)  # fmt: skip
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_SKELETON = re.compile(
    r"(?im)^(?:class|id)=.{0,200}(?:skeleton|shimmer|placeholder-(?:glow|wave|row|line|item)"
    r"|content-loader|(?:^|[ _=-])ghost[-_ ]|is-loading|loading-(?:state|placeholder|indicator)"
    r"|spinner|preloader)"
)
_SENDS_ON = re.compile(
    r"\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:replace|assign)\s*\(|\bnavigation\.navigate\("
    r"|\.submit\s*\(\s*\)"
)
_FILLS = re.compile(
    r"innerHTML|outerHTML|insertAdjacent|replaceChildren|textContent\s*=|innerText\s*="
    r"|document\.write|\.append(?:Child)?\(|\.prepend\(|createElement\(|cloneNode"
    r"|createRoot|hydrate|createApp|ReactDOM|\.mount\(|\.render\(|new Vue|bootstrap\("
    r"|\bfetch\s*\(|XMLHttpRequest|\$\.(?:get|post|ajax|getJSON)|\.html\(|\.load\(|import\s*\("
)
# What all calls of these two kinds hold; case matters there.
_SENDING_WORDS = WordSearch(("location", "navigation.navigate(", ".submit"))
_FILLING_WORDS = WordSearch(
    (
        "innerHTML", "outerHTML", "insertAdjacent", "replaceChildren", "textContent", "innerText",
        "document.write", ".append", ".prepend(", "createElement(", "cloneNode", "createRoot",
        "hydrate", "createApp", "ReactDOM", ".mount(", ".render(", "new Vue", "bootstrap(",
        "fetch", "XMLHttpRequest", "$.get", "$.post", "$.ajax", ".html(", ".load(", "import",
    )
)  # fmt: skip
_FRAME = re.compile(r"(?m)^i?frame=(?!about:|javascript:|data:)")
_OWN_ELEMENTS = re.compile(r"customElements\.define|attachShadow")
_TEMPLATE = re.compile(
    r"\{\{[^{}\n]{1,120}\}\}|\{%[^%{}\n]{1,120}%\}|<%[^%\n]{1,120}%>|\$\{[\w.()\[\]' ]{1,80}\}"
    r"|\[\[\s*[A-Za-z_]\w*(?:\.\w+)+\s*\]\]"
)
_CODE_SPAN = re.compile(r"`[^`\n]{1,300}`")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True)
class ShellVerdict:
    """What is missing of a page, in words that follow its address."""

    need: Need = ""
    reason: str = ""
    words: int = 0  # that are there all the same


def judge_shell(page: ConvertedDocument, words: Words, traits: Traits) -> ShellVerdict:
    """Whether the scripts of a short page would bring what it is about."""
    if len(page.part) > len(page.markdown):  # more of it is content than was seen at first
        words = Words(page.part)
    sentences = _read_sentences(words)
    count = sentences.count
    if page.is_rendered:
        return _judge_rendered(page, words, sentences)
    if not traits.scripts:
        is_frame = count < _FRAME_WORDS and _FRAME.search(traits.marks) is not None
        is_more = is_frame or (traits.refresh and count < _SHELL_WORDS)
        return ShellVerdict("may" if is_more else "", "shows another page", count)
    if not count and "![" not in page.markdown:
        return ShellVerdict("must", "shows nothing until its scripts have run")
    reason = _find_plain_reason(words, traits, sentences)
    if not reason and _may_change(page, traits):
        reason = _find_reason(page, words, traits, sentences)
    if reason:
        return ShellVerdict("must", reason, count)
    if _may_bring_more(page, traits, sentences):
        return ShellVerdict("may", "may be more with its scripts", count)
    return ShellVerdict()


def _find_plain_reason(words: Words, traits: Traits, sentences: _Sentences) -> str:
    """Why a page is nothing without its scripts, whatever they are."""
    has_notice = sentences.has_notice or _NEEDS_SCRIPTS.search(traits.fallback) is not None
    # A menu around the place is not what the page is about.
    says_little = words.prose_count < _SHELL_WORDS and sentences.count < _MENU_WORDS
    is_mount = (traits.empty_mount or traits.empty_main) and says_little
    if is_mount or (has_notice and sentences.count < _NOTICE_WORDS):
        return "is filled in by scripts"
    return ""


def _may_bring_more(page: ConvertedDocument, traits: Traits, sentences: _Sentences) -> bool:
    """Whether the scripts of a page that says something may add to it."""
    count = sentences.count
    is_waiting = sentences.has_notice and count < _TEMPLATE_WORDS
    has_frame = count < _FRAME_WORDS and _FRAME.search(traits.marks) is not None
    is_more = is_waiting or has_frame
    if not is_more and count < _SHELL_WORDS:
        is_more = bool(traits.refresh) or _fills(traits.code)
    return is_more and _may_change(page, traits)


def _may_change(page: ConvertedDocument, traits: Traits) -> bool:
    """Whether some script of the page may change it, or leave it."""
    code = traits.code
    if _sends_on(code) or _fills(code) or _OWN_ELEMENTS.search(code):
        return True
    return page.document is not None and Scripts(page.document.roots).are_any


def _sends_on(code: str) -> bool:
    """Whether scripts send the browser on."""
    return _SENDING_WORDS.is_any_in(code) and _SENDS_ON.search(code) is not None


def _fills(code: str) -> bool:
    """Whether scripts put something into the page."""
    return _FILLING_WORDS.is_any_in(code) and _FILLS.search(code) is not None


def has_empty_main(traits: Traits) -> bool:
    """Whether the place of the main part is there and empty, or holds a skeleton."""
    return traits.empty_main or _SKELETON.search(traits.marks) is not None


def _find_reason(
    page: ConvertedDocument, words: Words, traits: Traits, sentences: _Sentences
) -> str:
    """Why a page with scripts that change it, and with so few words, is nothing without them."""
    count = sentences.count
    if is_template(page, words.text, count):
        return "shows a template that its scripts would fill in"
    if count >= _SHELL_WORDS:
        return ""
    if (sentences.is_redirect or count < _NOTICE_WORDS) and _sends_on(traits.code):
        return "sends the browser on by scripts"
    fills = _fills(traits.code)
    has_place = traits.empty_places > 0
    is_bare = not traits.images and not traits.code  # words, and scripts from elsewhere
    if count < _THIN_WORDS and (fills or has_place or is_bare):
        return "is filled in by scripts"
    is_waiting = sentences.has_notice or _SKELETON.search(traits.marks) is not None
    if is_waiting or (has_place and fills):
        return "is filled in by scripts"
    if _OWN_ELEMENTS.search(traits.code):
        return "is made of elements that its scripts define"
    return ""


def _judge_rendered(page: ConvertedDocument, words: Words, sentences: _Sentences) -> ShellVerdict:
    """Whether a page has stayed a shell although its scripts have run."""
    count = sentences.count
    if not count and "![" not in page.markdown:
        return ShellVerdict("must", "shows nothing, even after its scripts have run")
    if sentences.has_notice and count < _NOTICE_WORDS:
        return ShellVerdict("must", "has not filled itself in, although its scripts have run")
    if count < _SHELL_WORDS and is_template(page, words.text, count):
        return ShellVerdict("must", "shows a raw template, although its scripts have run")
    return ShellVerdict()


def is_template(page: ConvertedDocument, text: str, count: int) -> bool:
    """Whether what is read of a page is a template: `{{ name }}` outside of code, twice at least,
    and in most of a long one.
    """
    if not any(mark in text for mark in ("{{", "{%", "<%", "${", "[[")):
        return False
    marks = inside = 0
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
            continue
        if in_code:
            continue
        plain = _CODE_SPAN.sub(" ", line)
        found = len(_TEMPLATE.findall(plain))
        if found:
            marks += found
            inside += count_words(plain)
    if not marks:
        return False
    if count < _TEMPLATE_WORDS and marks >= _FEW_TEMPLATES:
        return True
    if count < _NOTICE_WORDS:
        return True
    return marks >= _MANY_TEMPLATES and inside >= _TEMPLATE_PART * max(1, count)


@dataclass(frozen=True)
class _Sentences:
    """What the sentences of a page say."""

    count: int  # of the words in those that are content
    has_notice: bool  # one says that scripts are needed, or that the page is on its way
    is_redirect: bool  # one says that the reader is sent on


def _read_sentences(words: Words) -> _Sentences:
    """Tell the content of a page from what it says about its own coming."""
    if not _NOTICE_LOOK.may_match(words.text):
        return _Sentences(words.count, False, False)  # as nearly all: each one is content
    content: list[str] = []
    has_notice = is_redirect = False
    for sentence in _SENTENCE_END.split(words.text):
        if not sentence.strip():
            continue
        if _REDIRECTING.search(sentence):
            is_redirect = True
        if _NEEDS_SCRIPTS.search(sentence) or _LOADING.search(sentence):
            has_notice = True
        else:
            content.append(sentence)
    return _Sentences(count_words("\n".join(content)), has_notice, is_redirect)
