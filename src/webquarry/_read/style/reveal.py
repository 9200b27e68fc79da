"""What is hidden at first but comes into view: panels with a visible control, and content that a
script or an animation shows.

Without a visible control, a script that may change the page is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from lxml import etree

from webquarry._native import WordSearch, find_value
from webquarry._read.html.class_names import FOR_SCREEN_READERS, judge_classes
from webquarry._read.html.tree import (
    find_elements,
    length_outside,
    length_up_to,
    links_within,
)
from webquarry._read.style.declarations import Declarations, parse_body
from webquarry._read.style.sheet import Sheets
from webquarry._read.style.values import parse_length, parse_number, split_words
from webquarry._read.text.brackets import remove_comments

_Element = etree._Element
_SCRIPT_TYPE = re.compile(
    r"|module|(?:text|application)/(?:x-)?(?:java|ecma|j|live)script"
    r"|[0-9a-f]{24}-(?:text/javascript|module)|text/rocketscript"
)
_NOT_RUN = ("noscript", "noframes", "noembed", "template")
_COUNTS_VISITS = re.compile(
    r"googletagmanager\.|google-analytics\.|/gtag/|/gtm\.js|/analytics\.js|cloudflareinsights\."
    r"|hotjar\.|doubleclick\.|adsbygoogle|connect\.facebook\.|/cdn-cgi/|plausible\.|matomo"
    r"|clarity\.ms|/beacon|/pixel|segment\.(?:com|io)|scorecardresearch|quantserve"
)
_ADDRESS = re.compile(r"\s*(?!data:|about:)(?:https?:)?[^\s:#?][^\s:]*", re.IGNORECASE)
_LINE_COMMENT = re.compile(r"^[ \t]*//[^\n]*", re.MULTILINE)
_WORKS_ON_PAGE = re.compile(
    r"\b(?:document|window|jquery|classlist|queryselector|getelement\w+|addeventlistener|innerhtml"
    r"|react|angular|vue|alpine|self|webpackjsonp|require|import)\b|\$\("
)
_LONGEST_SCRIPT = 200_000  # characters
_LONGEST_COUNTER = 2_000


class Scripts:
    """The scripts of a page, judged on demand."""

    def __init__(self, scripts: Sequence[_Element]) -> None:
        self._scripts = scripts
        self._are_any: bool | None = None

    @property
    def are_any(self) -> bool:
        """Whether a script runs that may change the page."""
        if self._are_any is None:
            self._are_any = any(map(_may_change_page, self.list_all()))
        return self._are_any

    def list_all(self) -> Iterator[_Element]:
        """List the scripts that browsers run."""
        for script in self._scripts:
            kind = (find_value(script, "type") or "").partition(";")[0].strip().lower()
            is_run = _SCRIPT_TYPE.fullmatch(kind) and find_value(script, "nomodule") is None
            if is_run and next(script.iterancestors(*_NOT_RUN), None) is None:
                yield script


def _may_change_page(script: _Element) -> bool:
    source = find_value(script, "src")
    if source is not None:
        return _ADDRESS.match(source) is not None and _COUNTS_VISITS.search(source) is None
    text = (script.text or "")[:_LONGEST_SCRIPT]
    if len(text) < _LONGEST_COUNTER and _COUNTS_VISITS.search(text):
        return False
    text = _LINE_COMMENT.sub(" ", remove_comments(text)).lower()
    return _WORKS_ON_PAGE.search(text) is not None


# Class names and ids of panels in common frameworks.
_PANEL_CLASS = re.compile(
    r"(?:[\w-]*[-_])?(?:tabs?|accordion|collaps(?:e|ed|ible)|expand(?:er|ed|able)?|toggle|faq"
    r"|spoiler|disclosure)"
    r"(?:[-_]*(?:pane|panel|content|contents|body|inner|item|collapse|text|answer|section|details"
    r"|block|container|wrap|wrapper|data|box|area))+(?:[-_][\w-]*)?"
    r"|collapse|collapsed|collapsible|panel-collapse|expandable|spoiler|faq-?answer|answer"
    r"|accordion|uk-switcher"
    r"|w-tab-pane|et_pb_toggle_content|vc_tta-panel-body|wp-block-[\w-]*accordion[\w-]*"
    r"|[\w-]*(?:carousel|slick|swiper|splide|flickity|slide(?:r|show)?|gallery)[\w-]*"
)
_PANEL_ID = re.compile(
    r"expand|collaps|accordion|tab[-_]?(?:pane|panel|content)|(?:^|[-_])tab(?:[-_\d]|$)|faq"
    r"|spoiler",
    re.IGNORECASE,
)
_COPY_CLASS = re.compile(r"(?:^|\s)(?:slick-cloned|swiper-slide-duplicate)(?:\s|$)")
_LONGEST_NAME = 60  # characters
_POINTERS = (
    "aria-controls", "data-bs-target", "data-target", "popovertarget", "commandfor", "aria-owns",
    "data-tab",
)  # fmt: skip
_CONTROL_TAGS = frozenset(
    """
    a button div li label input span summary section header h2 h3 h4 h5 dt td tr p img svg i ul
    details option
    """.split()  # noqa: SIM905
)
_TOGGLES = ("data-toggle", "data-bs-toggle", "aria-expanded")
_CONTROL_ATTRIBUTES = frozenset({*_POINTERS, *_TOGGLES})
_SWITCH = WordSearch(
    """
    tab accordion toggle collaps expand button btn nav-link more faq switch open modal
    """.split()  # noqa: SIM905
)
_MOST_CONTROLS = 6  # of one element
_MOST_FIELDS = 200
_MOST_INSIDE = 12


def is_panel(element: _Element) -> bool:
    """Whether role or names say that an element opens."""
    classes = element.get("class") or ""
    if _COPY_CLASS.search(classes):
        return False
    is_slide = element.get("aria-roledescription") == "slide"
    if is_slide or (element.get("role") or "").strip().lower() == "tabpanel":
        return True
    for name in classes.lower().split():
        if len(name) <= _LONGEST_NAME and _PANEL_CLASS.fullmatch(name):
            return True
    return _PANEL_ID.search((element.get("id") or "")[:_LONGEST_NAME]) is not None


class Controls:
    """The controls of a page, looked up on demand. `is_seen` says whether an element is visible."""

    def __init__(
        self, roots: Sequence[_Element], scripts: Scripts, is_seen: Callable[[_Element], bool]
    ) -> None:
        self._roots = roots
        self._scripts = scripts
        self._is_seen = is_seen
        self._by_target: dict[str, list[_Element]] | None = None

    def can_open(self, element: _Element, *, needs_proof: bool = True) -> bool:
        """Whether a visible control opens an element, or a script does where its names say so.

        Without proof, names or any control are enough.
        """
        if _COPY_CLASS.search(element.get("class") or ""):
            return False
        if is_panel(element) and (self._scripts.are_any or not needs_proof):
            return True
        controls = (*self._find_controls(element), *_find_controls_before(element))
        return any(map(self._is_seen, controls)) if needs_proof else bool(controls)

    def are_pointing_at(self, element: _Element) -> bool:
        """Whether a visible control names an element."""
        return any(map(self._is_seen, self._find_controls(element)))

    @cached_property
    def have_box_to_tick(self) -> bool:
        """Whether the page has a visible checkbox or radio button, or a label of one."""
        boxes = [
            one
            for root in self._roots
            for one in islice(root.iter("input"), _MOST_FIELDS)
            if (one.get("type") or "").lower() in ("checkbox", "radio")
        ]
        names = {one.get("id") for one in boxes} - {None}
        labels = [label for root in self._roots for label in root.iter("label")]
        boxes += [label for label in labels[:_MOST_FIELDS] if label.get("for") in names]
        return any(map(self._is_seen, boxes))

    def _find_controls(self, element: _Element) -> list[_Element]:
        identity = element.get("id")
        if not identity:
            return []
        if self._by_target is None:
            self._by_target = {}
            for root in self._roots:
                for control in find_elements(root, frozenset(), _CONTROL_ATTRIBUTES):
                    if control.tag in _CONTROL_TAGS:
                        self._add_targets(self._by_target, control)
                for link in links_within(root):
                    self._add_targets(self._by_target, link)
        return self._by_target.get(identity, [])

    def _add_targets(self, by_target: dict[str, list[_Element]], control: _Element) -> None:
        """Add a control under the ids that it points to."""
        pointers = [find_value(control, name) or "" for name in _POINTERS]
        targets = " ".join(pointers).replace("#", " ").split()
        href = find_value(control, "href") or ""
        if href.startswith("#") and (targets or _is_switch(control)):
            targets.append(href[1:])
        for identity in targets:
            known = by_target.setdefault(identity, [])
            if len(known) < _MOST_CONTROLS:
                known.append(control)


def _is_switch(control: _Element) -> bool:
    """Whether attributes or the names around a link say that it opens something."""
    if find_value(control, "role") in ("tab", "button"):
        return True
    if any(find_value(control, name) for name in _TOGGLES):
        return True
    around = islice(control.iterancestors(), 2)
    names = [find_value(one, "class") or "" for one in (control, *around)]
    return _SWITCH.is_any_in(" ".join(names).lower())


def _find_controls_before(element: _Element) -> Iterator[_Element]:
    """List what expands right before an element, or before its parent."""
    for box in (element, element.getparent()):
        before = None if box is None else box.getprevious()
        if before is not None:
            for inner in islice(before.iter(etree.Element), _MOST_INSIDE):
                if inner.get("aria-expanded"):
                    yield inner


_LATE_PART = re.compile(r"S:[0-9a-f]{1,4}")
_PLACE = re.compile(r"[BP]:[0-9a-f]{1,4}")
_PLACES_PARTS = "$RC"  # the function by which React moves late parts
_SMALL_SHIFT = 250.0  # pixels
_TRANSLATION = re.compile(r"translate\w*\(([^()]*)\)")
_MOVES = re.compile(r"translate|matrix\(1|scale\w*\(\s*(?:0?\.[5-9]|1)")
_KEYFRAMES = re.compile(
    rb"keyframes\s++([\w\"'-]++)\s*+\{((?:[^{}]*+\{[^{}]*+\}){0,50}+)", re.IGNORECASE
)
_FRAME = re.compile(rb"([^{}]*+)\{([^{}]*+)\}")
_NOT_TEXT = frozenset({"script", "style", "noscript", "template", "title"})
_CONTENT_TAGS = ("h1", "main", "article")
_MOST_MEASURED = 5  # elements whose text is measured
_LEAST_PAGE = 300  # characters
_LONGEST_TWIN = 80


class Revealed:
    """Content of a page that is hidden until its script or an animation has run."""

    def __init__(self, roots: Sequence[_Element], scripts: Scripts, sheets: Sheets) -> None:
        self._roots = roots
        self._scripts = scripts
        self._sheets = sheets
        self._last_frames: dict[str, Declarations] | None = None
        self._length: int | None = None
        self._measured = 0
        self._moves_parts: bool | None = None

    def has_scripts(self) -> bool:
        """Whether a script may change the page."""
        return self._scripts.are_any

    def is_late_part(self, element: _Element) -> bool:
        """Whether React's script moves an element into place, or late parts are the page."""
        if _LATE_PART.fullmatch(element.get("id") or "") is None:
            return False
        if self._moves_parts is None:
            templates = (one for root in self._roots for one in root.iter("template"))
            self._moves_parts = any(_PLACE.fullmatch(one.get("id") or "") for one in templates)
            if self._moves_parts and not any(
                _PLACES_PARTS in (script.text or "") for script in self._scripts.list_all()
            ):
                parts = (one for root in self._roots for one in root.iter("div"))
                late = [one for one in parts if _LATE_PART.fullmatch(one.get("id") or "")]
                length = sum(length_outside(one, _NOT_TEXT) for one in late)
                self._moves_parts = length >= max(_LEAST_PAGE, 0.6 * self._measure_page())
        return self._moves_parts

    def _measure_page(self) -> int:
        if self._length is None:
            self._length = sum(length_outside(root, _NOT_TEXT) for root in self._roots)
        return self._length

    def is_the_page(self, element: _Element, *, is_hidden: bool = False) -> bool:
        """Whether an element holds a heading or the like, and most of the text.

        Something hidden needs a script that shows it; without one it must be all of the page.
        """
        if self._measured >= _MOST_MEASURED:
            return False
        if next(element.iter(*_CONTENT_TAGS), None) is None:
            return False
        if is_hidden and not self._scripts.are_any:
            return self._holds(element, 0.9, _LEAST_PAGE)
        return self._holds(element, 0.25 if element.tag == "main" else 0.6)

    def _holds(self, element: _Element, share: float, least: int = 0) -> bool:
        """Whether an element holds a share of the text of the page."""
        self._measured += 1
        length = length_outside(element, _NOT_TEXT)
        return length >= max(least, share * self._measure_page())

    def fades_in(self, element: _Element, style: Declarations) -> bool:
        """Whether a transparent box is about to appear: moved a little, by animation or script."""
        transform = style.get("transform")
        if not transform or not _MOVES.search(transform):
            return self.is_animated_into_view(style)
        for arguments in _TRANSLATION.findall(transform):
            shifts = [parse_length(word) or 0.0 for word in split_words(arguments)]
            if max(map(abs, shifts), default=0.0) > _SMALL_SHIFT:
                return False
        if self._scripts.are_any or self.is_animated_into_view(style):
            return True
        return self._measured < _MOST_MEASURED and self._holds(element, 0.75, _LEAST_PAGE)

    def is_animated_into_view(self, style: Declarations) -> bool:
        """Whether the last frame of an animation is visible and stays."""
        return (parse_number(self.find_last_frame(style).get("opacity", "")) or 0.0) >= 0.3

    def find_last_frame(self, style: Declarations) -> Declarations:
        """Return the last frame of the animations of a box that stay at their end."""
        words = f"{style.get('animation', '')} {style.get('animation-fill-mode', '')}"
        listed = words.replace(",", " ").split()
        if "forwards" not in listed and "both" not in listed and "infinite" not in listed:
            return {}
        if "paused" in listed and not self._scripts.are_any:
            return {}
        if self._last_frames is None:
            self._last_frames = _read_last_frames(self._sheets)
        last: Declarations = {}
        for name in (*style.get("animation-name", "").replace(",", " ").split(), *listed):
            last.update(self._last_frames.get(name, {}))
        return last


def _read_last_frames(sheets: Sheets) -> dict[str, Declarations]:
    frames: dict[str, Declarations] = {}
    for _, css in sheets.sheets:
        for found in _KEYFRAMES.finditer(css):
            name = found[1].decode(errors="replace").strip("\"'").lower()
            for moments, body in _FRAME.findall(found[2]):
                if not {b"to", b"100%"}.isdisjoint(moments.lower().replace(b",", b" ").split()):
                    frames[name] = parse_body(body)[0]
                    break
    return frames


def list_names(element: _Element) -> list[str]:
    """List the `.class` names and the `#id` of an element in lower case."""
    classes = (element.get("class") or "").lower().split()
    return [*(f".{name}" for name in classes), f"#{(element.get('id') or '').lower()}"]


def has_spoken_twin(element: _Element) -> bool:
    """Whether the words of an element are repeated for screen readers right next to it."""
    if length_up_to(element, _LONGEST_TWIN) >= _LONGEST_TWIN:
        return False
    for beside in (element.getprevious(), element.getnext()):
        classes = "" if beside is None else beside.get("class") or ""
        if judge_classes(classes) == FOR_SCREEN_READERS:
            return True
    return False
