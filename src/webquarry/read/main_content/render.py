"""A selection -> Markdown, with the headings, lists, tables, quotes and code that the kept blocks
stand in.

The walk is the same as for the whole page, but it comes only to the elements that the kept blocks
are made of. Hidden text is left out here, by the same judgement as for the whole page.
"""

from __future__ import annotations

from webquarry.read.html.parse import Document
from webquarry.read.main_content.blocks import ChosenParts
from webquarry.read.main_content.rules.notes import find_notes
from webquarry.read.main_content.select import Selection
from webquarry.read.markdown.convert import FALLBACK_TAGS, Markdown
from webquarry.read.markdown.elements import BOX_TAGS
from webquarry.read.markdown.footnotes import Footnotes
from webquarry.read.markdown.formulas import is_formula_image
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.scope import WalkScope
from webquarry.read.markdown.walker import Walker
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.visibility.tracker import VisibilityTracker

READY_NOTE = "The page hides its text until its script has run; it was read as if it had."
# Of the chosen text; a page that shows no more of it hides itself until its script has run.
_NEARLY_NOTHING = 0.05


def render_selection(document: Document, selection: Selection, base_url: str) -> Markdown:
    """The kept blocks as Markdown; the title is for the caller to add."""
    links = Links(base_url, document.page_info.base)
    parts = _find_parts(document, selection)
    walker = _walk(document, parts, links, script_has_run=False)
    notes: tuple[str, ...] = ()
    if walker.shown < _NEARLY_NOTHING * sum(map(len, selection.texts)):
        walker = _walk(document, parts, links, script_has_run=True)
        notes = (READY_NOTE,)
    text = defuse_prose(walker.blocks.text(), walker.removed)
    return Markdown(text, "", dict(walker.removed), notes)


def _find_parts(document: Document, selection: Selection) -> ChosenParts:
    """What was chosen of a page, and the footnotes whose marks are in it."""
    kept, blocks = set(selection.kept), selection.flow.walk
    formulas = [image for image in blocks.images(kept) if is_formula_image(image)]
    chosen = blocks.choose_parts(kept, formulas)
    note_ids = Footnotes(document.roots).find_note_ids(chosen)
    if not note_ids:
        return chosen
    notes = find_notes(selection.flow, note_ids, kept)
    if not notes:
        return chosen
    return blocks.choose_parts(kept | notes, formulas)


def _walk(document: Document, parts: ChosenParts, links: Links, *, script_has_run: bool) -> Walker:
    """Walk through what was chosen of a page. Where a mark then leads to a note that is not there,
    because nobody sees it, the page is walked through again without that mark.
    """
    page_info = document.page_info
    names = None
    if page_info.css:
        names = parts.names()
    scope = WalkScope(
        parts=parts,
        fallback_tags=FALLBACK_TAGS,  # the model has judged what stands there
        heading_tags=BOX_TAGS,
        counts_hidden_skipped=True,
        script_has_run=script_has_run,
    )
    absent: set[str] = set()
    while True:
        visibility = VisibilityTracker(document.roots, page_info, names)
        footnotes = Footnotes(document.roots, absent)
        walker = Walker(visibility, links, footnotes, page_info, scope)
        walker.walk(document.roots)
        if absent or not footnotes.find_unwritten():
            return walker
        absent = footnotes.find_unwritten()
