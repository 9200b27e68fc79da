"""Pages without content until their scripts run: shells, skeletons, templates, redirects.

Only pages with little text, or with signs of a template, are examined. A script that only counts
visits does not make a page a shell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from webquarry._read.format import ConvertedDocument
from webquarry._read.html.traits import Traits
from webquarry._read.markdown.words import Words
from webquarry._read.outcome.phrases import load, phrases, tokenize_page
from webquarry._read.outcome.walls import SENTENCE_END, has_element
from webquarry._read.style.reveal import Scripts
from webquarry._read.text.words import count_words

# Whether scripts are needed for any content, or may add some.
Need = Literal["", "may", "must"]

_SHELL_WORDS = 50  # around an element that scripts fill
_NOTICE_WORDS = 15  # beside a request to enable scripts
_THIN_WORDS = 10
_FRAME_WORDS = 25
_MENU_WORDS = 400
_TEMPLATE_WORDS = 150  # of a page on which two templates, or a notice, suffice
_FEW_TEMPLATES = 2
_MANY_TEMPLATES = 5
_TEMPLATE_SHARE = 0.3  # of the words, in lines with templates
_TEMPLATE_MARKS = ("{{", "{%", "<%", "${", "[[")
_LEAVES = re.compile(
    r"\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:replace|assign)\s*\(|\bnavigation\.navigate\("
    r"|\.submit\s*\(\s*\)"
)
_FRAMES = ("frame=", "iframe=")
_LOCAL_FRAMES = ("about:", "javascript:", "data:")
_TEMPLATE = re.compile(
    r"\{\{[^{}\n]{1,120}\}\}|\{%[^%{}\n]{1,120}%\}|<%[^%\n]{1,120}%>|\$\{[\w.()\[\]' ]{1,80}\}"
    r"|\[\[\s*[A-Za-z_]\w*(?:\.\w+)+\s*\]\]"
)
_CODE_SPAN = re.compile(r"`[^`\n]{1,300}`")


@dataclass(frozen=True)
class ShellVerdict:
    """What scripts would add; `reason` follows the URL in a sentence."""

    need: Need = ""
    reason: str = ""
    words: int = 0  # of the content without scripts


def judge_shell(page: ConvertedDocument, words: Words, traits: Traits) -> ShellVerdict:
    """Whether the scripts of a short page would add its content."""
    part = Words(page.blocks)
    if part.size > words.size:
        words = part
    sentences = _read_sentences(words)
    count = sentences.count
    is_empty = not count
    if page.is_rendered:
        return _judge_rendered(page, words, sentences, is_empty)
    if not traits.scripts:
        has_frame = count < _FRAME_WORDS and _has_frame(traits)
        may_be_more = has_frame or (traits.refresh and count < _SHELL_WORDS)
        return ShellVerdict("may" if may_be_more else "", "shows another page", count)
    if is_empty:
        return ShellVerdict("must", "shows nothing until its scripts have run")
    reason = _find_plain_reason(words, traits, sentences)
    if not reason and _may_change(page, traits):
        reason = _find_reason(page, words, traits, sentences)
    if reason:
        return ShellVerdict("must", reason, count)
    if _may_add(traits, sentences) and _may_change(page, traits):
        return ShellVerdict("may", "may be more with its scripts", count)
    return ShellVerdict()


def has_empty_main(traits: Traits) -> bool:
    """Whether the element of the main content is empty, or has a skeleton."""
    return traits.empty_main or has_element(traits, "scripts.elements")


def is_template(text: str, count: int) -> bool:
    """Whether a text of `count` words is a template: `{{ name }}` outside of code, at least twice,
    and in most of a long text.
    """
    if not any(mark in text for mark in _TEMPLATE_MARKS):
        return False
    templates = words_inside = 0
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
            continue
        if in_code:
            continue
        plain = _CODE_SPAN.sub(" ", line)
        found = len(_TEMPLATE.findall(plain))
        if found:
            templates += found
            words_inside += count_words(plain)
    if not templates:
        return False
    if count < _NOTICE_WORDS or (count < _TEMPLATE_WORDS and templates >= _FEW_TEMPLATES):
        return True
    return templates >= _MANY_TEMPLATES and words_inside >= _TEMPLATE_SHARE * max(1, count)


def _find_plain_reason(words: Words, traits: Traits, sentences: _Sentences) -> str:
    """Return why a page has no content without its scripts, whatever these are."""
    has_notice = sentences.has_notice or phrases("scripts.needed").match(traits.fallback)
    # a menu around the element is not content
    says_little = words.prose_count < _SHELL_WORDS and sentences.count < _MENU_WORDS
    is_mount = (traits.empty_mount or traits.empty_main) and says_little
    if is_mount or (has_notice and sentences.count < _NOTICE_WORDS):
        return "is filled in by scripts"
    return ""


def _find_reason(
    page: ConvertedDocument, words: Words, traits: Traits, sentences: _Sentences
) -> str:
    """Return why a page whose scripts change it has no content without them."""
    count = sentences.count
    if is_template(words.text, count):
        return "shows a template that its scripts would fill in"
    if count >= _SHELL_WORDS:
        return ""
    if (sentences.is_redirect or count < _NOTICE_WORDS) and _LEAVES.search(traits.code):
        return "sends the browser on by scripts"
    fills = _calls(traits, "fills")
    has_place = traits.empty_places > 0
    is_bare = not traits.images and not traits.code  # text, and scripts from elsewhere
    if count < _THIN_WORDS and (fills or has_place or is_bare):
        return "is filled in by scripts"
    is_waiting = sentences.has_notice or has_element(traits, "scripts.elements")
    if is_waiting or (has_place and fills):
        return "is filled in by scripts"
    if _calls(traits, "defines"):
        return "is made of elements that its scripts define"
    return ""


def _judge_rendered(
    page: ConvertedDocument, words: Words, sentences: _Sentences, is_empty: bool
) -> ShellVerdict:
    """Whether a page is a shell although its scripts have run."""
    count = sentences.count
    if is_empty:
        return ShellVerdict("must", "shows nothing, even after its scripts have run")
    if sentences.has_notice and count < _NOTICE_WORDS:
        return ShellVerdict("must", "has not filled itself in, although its scripts have run")
    if count < _SHELL_WORDS and is_template(words.text, count):
        return ShellVerdict("must", "shows a raw template, although its scripts have run")
    return ShellVerdict()


def _may_add(traits: Traits, sentences: _Sentences) -> bool:
    """Whether the scripts of a page with some content may add to it."""
    count = sentences.count
    if sentences.has_notice and count < _TEMPLATE_WORDS:
        return True
    if count < _FRAME_WORDS and _has_frame(traits):
        return True
    return count < _SHELL_WORDS and (bool(traits.refresh) or _calls(traits, "fills"))


def _may_change(page: ConvertedDocument, traits: Traits) -> bool:
    """Whether a script of the page may change or leave it."""
    if _LEAVES.search(traits.code) or _calls(traits, "fills") or _calls(traits, "defines"):
        return True
    return page.document is not None and Scripts(page.document.roots).are_any


def _calls(traits: Traits, kind: str) -> bool:
    return any(call in traits.code for call in load()["scripts"]["code"][kind])


def _has_frame(traits: Traits) -> bool:
    for mark in traits.marks.split("\n"):
        if mark.startswith(_FRAMES) and not mark.partition("=")[2].startswith(_LOCAL_FRAMES):
            return True
    return False


@dataclass(frozen=True)
class _Sentences:
    count: int  # words of sentences that are content
    has_notice: bool  # a sentence says that scripts are needed, or that the page is loading
    is_redirect: bool  # a sentence announces a redirect


def _read_sentences(words: Words) -> _Sentences:
    """Distinguish the content of a page from notices about its loading."""
    needed, loading = phrases("scripts.needed"), phrases("scripts.loading")
    tokens = tokenize_page(words.text)
    is_redirect = phrases("scripts.redirect").match_tokens(tokens)
    if not needed.match_tokens(tokens) and not loading.match_tokens(tokens):
        return _Sentences(words.count, False, is_redirect)
    sentences = SENTENCE_END.split(words.text)
    content = [one for one in sentences if not needed.match(one) and not loading.match(one)]
    return _Sentences(count_words("\n".join(content)), len(content) < len(sentences), is_redirect)
