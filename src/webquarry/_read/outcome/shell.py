"""Pages without content until their scripts run: shells, skeletons, redirects.

Only pages with little text are examined. A script that only counts visits does not make a page a
shell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
_NOTICE_WORDS = 15  # next to a request to enable scripts
_THIN_WORDS = 10
_FRAME_WORDS = 25
_MENU_WORDS = 400
_NOTICE_PAGE_WORDS = 150  # of a page with a notice that its scripts may change
_LEAVES = re.compile(
    r"\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:replace|assign)\s*\(|\bnavigation\.navigate\("
    r"|\.submit\s*\(\s*\)"
)
_FRAMES = ("frame=", "iframe=")
_LOCAL_FRAMES = ("about:", "javascript:", "data:")


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
    count, has_notice = sentences.words, sentences.has_notice
    if page.is_rendered:
        reason = _judge_rendered(sentences)
        return ShellVerdict("must" if reason else "", reason, count)
    if not traits.scripts:
        return ShellVerdict("may" if _may_add(traits, count) else "", "", count)
    if not count:
        return ShellVerdict("must", "shows nothing until its scripts have run")
    # a menu around the element is not content
    says_little = words.prose_count < _SHELL_WORDS and count < _MENU_WORDS
    is_mount = (traits.empty_mount or traits.empty_main) and says_little
    needs_scripts = has_notice or phrases("scripts.needed").match(traits.fallback)
    if is_mount or (needs_scripts and count < _NOTICE_WORDS):
        return ShellVerdict("must", "is filled in by scripts", count)
    return _judge_scripts(page, traits, sentences)


def _judge_scripts(page: ConvertedDocument, traits: Traits, sentences: _Sentences) -> ShellVerdict:
    """Whether the scripts of a page with some content change it."""
    count, has_notice, is_redirect = sentences
    leaves = _LEAVES.search(traits.code) is not None
    fills, defines = _calls(traits, "fills"), _calls(traits, "defines")
    may_change = leaves or fills or defines
    if not may_change and page.document is not None:
        may_change = Scripts(page.document.page_info.scripts).are_any
    if not may_change:
        return ShellVerdict()
    reason = ""
    if count < _SHELL_WORDS:
        if leaves and (is_redirect or count < _NOTICE_WORDS):
            reason = "sends the browser on by scripts"
        elif has_notice or _has_place_to_fill(traits, count, fills):
            reason = "is filled in by scripts"
        elif defines:
            reason = "is made of elements that its scripts define"
    if reason:
        return ShellVerdict("must", reason, count)
    has_little = count < _SHELL_WORDS and fills
    if _may_add(traits, count) or has_little or (has_notice and count < _NOTICE_PAGE_WORDS):
        return ShellVerdict("may", "", count)
    return ShellVerdict()


def _judge_rendered(sentences: _Sentences) -> str:
    """Return why a page is a shell although its scripts have run; empty if it is none."""
    if not sentences.words:
        return "shows nothing, even after its scripts have run"
    if sentences.has_notice and sentences.words < _NOTICE_WORDS:
        return "has not filled itself in, although its scripts have run"
    return ""


def _has_place_to_fill(traits: Traits, count: int, fills: bool) -> bool:
    """Whether a page of `count` words has elements that its scripts fill."""
    has_place = traits.empty_places > 0
    if has_place and fills:
        return True
    is_bare = not traits.images and not traits.code  # text, and scripts from elsewhere
    is_nearly_empty = count < _THIN_WORDS and (fills or has_place or is_bare)
    return is_nearly_empty or has_element(traits, "scripts.elements")


def has_empty_main(traits: Traits) -> bool:
    """Whether the element of the main content is empty, or has a skeleton."""
    return traits.empty_main or has_element(traits, "scripts.elements")


def _calls(traits: Traits, kind: str) -> bool:
    return any(call in traits.code for call in load()["scripts"]["code"][kind])


def _may_add(traits: Traits, count: int) -> bool:
    """Whether a page of `count` words has frames or redirects that lead to more."""
    if count < _FRAME_WORDS and _has_frame(traits):
        return True
    return count < _SHELL_WORDS and bool(traits.refresh)


def _has_frame(traits: Traits) -> bool:
    for mark in traits.marks.split("\n"):
        if mark.startswith(_FRAMES) and not mark.partition("=")[2].startswith(_LOCAL_FRAMES):
            return True
    return False


class _Sentences(NamedTuple):
    words: int  # of sentences that are content
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
