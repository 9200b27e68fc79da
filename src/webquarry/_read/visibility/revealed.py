"""What a page hides only until its own scripts have run, which is before anybody looks at it.

Somebody must do that: a script that runs, or an animation. Three kinds: parts that React sends late
and moves into place, boxes that fade in where they stand, and a page that hides itself as a whole
so that nobody sees it half built. A parser that never found the end of a menu makes a fourth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from webquarry._read.css.class_names import FOR_SCREEN_READERS, judge_classes
from webquarry._read.css.declarations import (
    Declarations,
    first_value,
    parse_declarations,
    parse_length,
    parse_lengths,
)
from webquarry._read.html.tree import length_outside, length_up_to
from webquarry._read.visibility.scripts import Scripts

_LATE_PART = re.compile(r"S:[0-9a-f]{1,4}")
_PLACE = re.compile(r"[BP]:[0-9a-f]{1,4}")
_SMALL_SHIFT = 250.0  # pixels
_TRANSLATION = re.compile(r"translate\w*\(([^()]*)\)")
_MOVES = re.compile(r"translate|matrix\(1|scale\w*\(\s*(?:0?\.[5-9]|1)")
_KEYFRAMES = re.compile(rb"keyframes\s")
_OPAQUE = 0.3  # what an animation must reach
_TOO_LATE = 600.0  # seconds; nobody waits for so long
_TIME = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(ms|s)")
_LONGEST_ANIMATION = 2_000  # characters
_NOT_TEXT = frozenset({"script", "style", "noscript", "template", "title"})
_CONTENT_TAGS = ("h1", "main", "article")  # what a box must hold to be the page
_MOST_ASKED = 5  # times that the text of an element is measured
_MOST_OF_IT = 0.6
_ALL_OF_IT = 0.9
_LEAST_PAGE = 300  # characters of a page that is nothing without its scripts
_NEARLY_ALL = 0.75  # of a page that fades in
_LONGEST_TWIN = 80  # characters
_OF_MAIN = 0.25  # of the text; menus can be longer than what they lead to


class Revealed:
    """The late parts and the text of one page, looked up when something hidden asks for them."""

    def __init__(self, roots: Sequence[etree._Element], scripts: Scripts, css: bytes = b"") -> None:
        self._roots = roots
        self._scripts = scripts
        self._css = css
        self._frames: tuple[dict[str, Declarations], dict[str, Declarations]] | None = None
        self._length: int | None = None
        self._asked = 0
        self._has_places: bool | None = None

    def is_late_part(self, element: etree._Element) -> bool:
        """Whether React's script will move this element to the place that is kept for it. Where no
        such script is seen, the late parts must be the page.
        """
        if _LATE_PART.fullmatch(element.get("id") or "") is None:
            return False
        if self._has_places is None:
            self._has_places = self._find_places()
        return self._has_places

    def _find_places(self) -> bool:
        """Whether the page keeps a place for late parts, and something moves them there."""
        for root in self._roots:
            for template in root.iter("template"):
                if _PLACE.fullmatch(template.get("id") or ""):
                    return self._scripts.places_parts or self._are_late_parts_the_page()
        return False

    def _are_late_parts_the_page(self) -> bool:
        """Whether late parts hold most of the text of a page of some length."""
        length = 0
        for root in self._roots:
            for part in root.iter("div"):
                if part.get("hidden") is not None and _LATE_PART.fullmatch(part.get("id") or ""):
                    length += length_outside(part, _NOT_TEXT)
        return length >= max(_LEAST_PAGE, _MOST_OF_IT * self._find_length())

    def _find_length(self) -> int:
        """The characters of the page, measured once."""
        if self._length is None:
            self._length = sum(length_outside(root, _NOT_TEXT) for root in self._roots)
        return self._length

    def is_the_page(self, element: etree._Element, *, is_hidden: bool = False) -> bool:
        """Whether an element holds nearly everything there is: a heading or the like, and most of
        the text. Measured a few times only, because it takes a walk over the page. Something hidden
        needs a script that shows it; where none is left in the page, it must be all of it.
        """
        if self._asked >= _MOST_ASKED:
            return False
        if next(element.iter(*_CONTENT_TAGS), None) is None:
            return False
        self._asked += 1
        length = length_outside(element, _NOT_TEXT)
        if is_hidden and not self._scripts.are_any:
            return length >= max(_LEAST_PAGE, _ALL_OF_IT * self._find_length())
        share = _MOST_OF_IT
        if element.tag == "main":
            share = _OF_MAIN
        return length >= share * self._find_length()

    def fades_in(self, element: etree._Element, style: Declarations) -> bool:
        """Whether a transparent box is about to appear: it is moved a little and will come to rest,
        and an animation or a script sees to it.
        """
        transform = first_value(style, "transform", "-webkit-transform")
        if not transform or not _MOVES.search(transform):
            return self.is_animated_into_view(style)
        for arguments in _TRANSLATION.findall(transform):
            for shift in parse_lengths(arguments):
                if abs(shift) > _SMALL_SHIFT:
                    return False
        if self._scripts.are_any or self.is_animated_into_view(style):
            return True
        # no script is left in the page, but without this one there would be no page
        return self._is_most_of_page(element)

    def _is_most_of_page(self, element: etree._Element) -> bool:
        """Whether an element holds most of the text of a page of some length."""
        if self._asked >= _MOST_ASKED:
            return False
        self._asked += 1
        least = max(_LEAST_PAGE, _NEARLY_ALL * self._find_length())
        return length_outside(element, _NOT_TEXT) >= least

    def is_animated_into_view(self, style: Declarations) -> bool:
        """Whether an animation of the page's own ends with the box being seen, and stays so."""
        if self._find_lasting_start(style) is not None:
            return False
        for end in self._find_ends(style):
            opacity = parse_length(end.get("opacity", ""), percent=0.01)
            if opacity is not None and opacity >= _OPAQUE:
                return True
        return False

    def find_last_frame(self, style: Declarations) -> Declarations:
        """What the animations of a box declare in the end, and keep; one that never goes on stays
        at its first frame.
        """
        last: Declarations = {}
        first = self._find_lasting_start(style)
        if first is not None:
            return first
        for end in self._find_ends(style):
            last.update(end)
        return last

    def _find_ends(self, style: Declarations) -> Iterator[Declarations]:
        """What the animations of a box that stay at their end declare there."""
        value = " ".join((style.get("animation", ""), style.get("animation-fill-mode", "")))
        words = value.replace(",", " ").split()
        if "forwards" not in words and "both" not in words and "infinite" not in words:
            return
        for name in (*style.get("animation-name", "").replace(",", " ").split(), *words):
            if name in self._find_frames()[1]:
                yield self._find_frames()[1][name]

    def _find_frames(self) -> tuple[dict[str, Declarations], dict[str, Declarations]]:
        """What the first and the last frames of the page's animations declare."""
        if self._frames is None:
            css = self._css
            self._frames = _read_animations(css, "from", "0%"), _read_animations(css, "to", "100%")
        return self._frames

    def _find_lasting_start(self, style: Declarations) -> Declarations | None:
        """What the first frame of an animation declares that a person sees all the time: it is
        paused, and no script goes on with it, or begins or ends too late.
        """
        value = f"{style.get('animation', '')} {style.get('animation-name', '')}"
        if not value.strip() or "," in value:
            return None
        words = value.split() + style.get("animation-fill-mode", "").split()
        is_paused = "paused" in words or style.get("animation-play-state") == "paused"
        if is_paused and self._scripts.are_any:
            return None
        if not _stays_at_start(style, words, is_paused=is_paused):
            return None
        for name in words:
            if name in self._find_frames()[0]:
                return self._find_frames()[0][name]
        return None


def _stays_at_start(style: Declarations, words: Sequence[str], *, is_paused: bool) -> bool:
    """Whether a person sees nothing but the first frame of an animation. `words` are those of
    `animation`, with how it is filled.
    """
    times = [time for time in map(_parse_time, words) if time is not None]
    length = _parse_time(style.get("animation-duration", "")) or (*times, 0.0)[0]
    delay = _parse_time(style.get("animation-delay", ""))
    if delay is None:
        delay = (*times, 0.0, 0.0)[1]
    if delay > 0:
        is_filled = "both" in words or "backwards" in words
        return is_filled and (is_paused or delay >= _TOO_LATE)
    has_begun = delay < -0.1 * length
    return not has_begun and length > 0 and (is_paused or length >= _TOO_LATE)


def _parse_time(word: str) -> float | None:
    """Seconds."""
    found = _TIME.fullmatch(word.strip())
    if found is None:
        return None
    return float(found[1]) * (0.001 if found[2] == "ms" else 1)


def _read_animations(css: bytes, *moments_wanted: str) -> dict[str, Declarations]:
    """The names of the animations of a sheet, and what their frames at a moment declare."""
    ends: dict[str, Declarations] = {}
    for part in _KEYFRAMES.split(css.lower())[1:]:
        name, _, body = part[:_LONGEST_ANIMATION].decode(errors="replace").partition("{")
        for frame in body.split("}"):
            moments, _, declared = frame.partition("{")
            if not set(moments_wanted).isdisjoint(moments.replace(",", " ").split()):
                ordinary, _ = parse_declarations(declared)
                ends[name.strip().strip("\"'")] = ordinary
                break
    return ends


def has_spoken_twin(element: etree._Element) -> bool:
    """Whether a few words are written for eyes here and for screen readers right beside, as prices
    are.
    """
    if length_up_to(element, _LONGEST_TWIN) >= _LONGEST_TWIN:
        return False
    for beside in (element.getprevious(), element.getnext()):
        if beside is None:
            continue
        if judge_classes(beside.get("class") or "") == FOR_SCREEN_READERS:
            return True
    return False
