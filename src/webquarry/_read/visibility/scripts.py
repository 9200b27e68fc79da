"""The scripts of a page -> whether one of them may show what the page hides at first.

A script counts if browsers run it and if it may change the page: one from an address may, unless it
is known to count visits; one that stands in the page must work on the page. An empty script, or one
that is data, opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from webquarry._read.css.rules import may_show
from webquarry._read.css.selectors.attributes import find_value
from webquarry._read.text.comments import remove_comments

_RUNS = frozenset(
    {
        "", "text/javascript", "application/javascript", "module", "text/ecmascript",
        "application/ecmascript", "application/x-javascript", "text/jscript", "text/livescript",
    }
)  # fmt: skip
# They are set aside until the page is there, and run then.
_RUNS_LATER = re.compile(r"[0-9a-f]{24}-text/javascript|[0-9a-f]{24}-module|text/rocketscript")
_NOT_RUN = ("noscript", "noframes", "noembed", "template")
_COUNTS_VISITS = re.compile(
    r"googletagmanager\.|google-analytics\.|/gtag/|/gtm\.js|/analytics\.js|cloudflareinsights\."
    r"|hotjar\.|doubleclick\.|adsbygoogle|connect\.facebook\.|/cdn-cgi/|plausible\.|matomo"
    r"|clarity\.ms|/beacon|/pixel|segment\.(?:com|io)|scorecardresearch|quantserve"
)
_ADDRESS = re.compile(r"\s*(?:https?:)?[^\s:#?][^\s:]*", re.IGNORECASE)
_LINE_COMMENT = re.compile(r"^[ \t]*//[^\n]*", re.MULTILINE)
_WORKS_ON_PAGE = re.compile(
    r"\b(?:document|window|jquery|classlist|queryselector|getelement\w+|addeventlistener|innerhtml"
    r"|react|angular|vue|alpine|self|webpackjsonp|require|import)\b|\$\("
)
_LONGEST_SCRIPT = 200_000  # characters of one that are looked at
_LONGEST_COUNTER = 2_000  # characters of a script that does nothing but count visits
_PLACES_PARTS = "$RC"  # what React's late parts are put into their places by
_NAMES = re.compile(r"[.#]([\w-]+)")
_SHOWS = re.compile(rb"display\s*:\s*(?!none)[a-z]|visibility\s*:\s*visible|opacity\s*:\s*[1.]")


class Scripts:
    """The scripts of one page, looked up when the first hidden element asks for them."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = roots
        self._are_any: bool | None = None
        self._places_parts: bool | None = None
        self._fallback_names: set[str] | None = None

    @property
    def are_any(self) -> bool:
        """Whether a script runs that may change the page."""
        if self._are_any is None:
            self._are_any = any(map(_may_change_page, self._find_scripts()))
        return self._are_any

    @property
    def places_parts(self) -> bool:
        """Whether a script puts parts that come late into their places."""
        if self._places_parts is None:
            texts = [script.text or "" for script in self._find_scripts()]
            self._places_parts = any(_PLACES_PARTS in text for text in texts)
        return self._places_parts

    def show_instead(self, element: etree._Element, css: bytes) -> bool:
        """Whether the page takes care, by a sheet for browsers without scripts, that an element is
        shown there: where they run, one of them shows it.
        """
        if not css or not self.are_any:
            return False
        if self._fallback_names is None:
            self._fallback_names = find_shown_names(css)
        names = (element.get("class") or "").lower().split()
        names.append((element.get("id") or "").lower())
        return not self._fallback_names.isdisjoint(names)

    def _find_scripts(self) -> Iterator[etree._Element]:
        """The scripts that browsers run."""
        for root in self._roots:
            for script in root.iter("script"):
                if _is_run(script):
                    yield script


def _may_change_page(script: etree._Element) -> bool:
    """Whether a script comes from an address that may hold anything, or works on the page."""
    source = find_value(script, "src")
    if source is not None:
        return _is_useful_address(source)
    text = (script.text or "")[:_LONGEST_SCRIPT]
    if len(text) < _LONGEST_COUNTER and _COUNTS_VISITS.search(text):
        return False
    text = _LINE_COMMENT.sub(" ", remove_comments(text)).lower()
    return _WORKS_ON_PAGE.search(text) is not None


def _is_run(script: etree._Element) -> bool:
    """Whether browsers run a script of this kind at this place."""
    kind = (find_value(script, "type") or "").partition(";")[0].strip().lower()
    if kind not in _RUNS and _RUNS_LATER.fullmatch(kind) is None:
        return False
    if find_value(script, "nomodule") is not None:
        return False
    return next(script.iterancestors(*_NOT_RUN), None) is None


def _is_useful_address(source: str) -> bool:
    """Whether a script comes from an address, and is not known to do something else."""
    if _ADDRESS.match(source) is None or source.lower().lstrip().startswith(("data:", "about:")):
        return False
    return _COUNTS_VISITS.search(source) is None


def find_shown_names(css: bytes) -> set[str]:
    """The classes and ids that a sheet for browsers without scripts shows."""
    names: set[str] = set()
    rules = css.lower().split(b"}")
    rules.pop()  # what stands behind the last one
    for rule in rules:
        before, _, body = rule.rpartition(b"{")
        if not may_show(body) or not _SHOWS.search(body):
            continue
        selectors = before.rpartition(b"{")[2]
        names.update(_NAMES.findall(selectors.decode(errors="replace")))
    return names
