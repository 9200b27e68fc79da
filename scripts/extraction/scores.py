"""Chances out of fold -> F1, precision and recall of each set, by the scorer that comes with the
sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.extraction.pages import SETS, LabelledPage, load_metrics, load_set, read_html

from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.choose import choose
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import Selection
from webquarry._read.main_content.texts import count_words


def choose_blocks(page: LabelledPage, chances: Chances | None) -> list[int]:
    """The numbers of the blocks to keep; of none without chances."""
    if chances is None:
        return []
    words = [count_words(text) for text in page.flow.texts]
    return choose(page.flow, chances, words)


def render_page(data: Path, page: LabelledPage, kept: list[int]) -> str:
    """What a reader gets of a page, hidden text left out."""
    document = read_html(data, page.set_name, page.label)
    selection = Selection(build_flow(document), kept, 0.0)
    url = page.label.get("url") or "https://example.org/"
    return render_selection(document, selection, url).text


def compute_scores(
    data: Path, pages: Sequence[LabelledPage], chances: Sequence[Chances | None]
) -> dict[str, dict[str, float]]:
    """F1, precision and recall of each set, from the finished Markdown, stripped of its marks as
    the scorer does it.
    """
    metrics = load_metrics(data)
    strip = load_metrics(data, "extractors").markdown_to_text
    metas = {name: load_set(data, name)[0] for name in SETS}
    scores: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for page, page_chances in zip(pages, chances, strict=True):
        kept = choose_blocks(page, page_chances)
        text = strip(render_page(data, page, kept))
        tokenizer = metas[page.set_name]["tokenizer"]
        page_scores = metrics.page_scores(page.label, text, tokenizer)
        scores[page.set_name].append(page_scores)
    return {name: metrics.summary(scores[name], metas[name]["metric"]) for name in SETS}


def print_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    """A line a set."""
    for name, one in scores.items():
        figures = f"F1 {one['f1']:.4f}  P {one['p']:.4f}  R {one['r']:.4f}"
        print(f"{name:18s} {figures}  ({one['pages']} pages)")
    print(f"{'mean':18s} F1 {_mean(scores):.4f}", flush=True)


def print_row(title: str, scores: Mapping[str, Mapping[str, float]]) -> None:
    """F1 of the sets and their mean, as a row of a table."""
    figures = [one["f1"] for one in scores.values()]
    figures.append(_mean(scores))
    cells = [title, *(f"{figure:.4f}" for figure in figures)]
    print(f"| {' | '.join(cells)} |", flush=True)


def _mean(scores: Mapping[str, Mapping[str, float]]) -> float:
    return sum(one["f1"] for one in scores.values()) / len(scores)
