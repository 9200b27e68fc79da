"""Chances out of fold -> F1, precision and recall of each set, by the scorer that comes with the
sets.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.extraction.pages import SETS, LabelledPage, load_metrics, load_set

from webquarry.read.encoding.decode import decode
from webquarry.read.html.parse import parse_html
from webquarry.read.main_content.blocks import build_flow
from webquarry.read.main_content.choose import choose
from webquarry.read.main_content.render import render_selection
from webquarry.read.main_content.select import Selection
from webquarry.read.main_content.texts import count_words


def kept_blocks(page: LabelledPage, chances: NDArray[np.float64] | None) -> list[int]:
    if chances is None:
        return []
    return choose(page.flow, chances, np.array([count_words(text) for text in page.flow.texts]))


def markdown_of(data: Path, page: LabelledPage, kept: list[int]) -> str:
    """What a reader gets of a page, hidden text left out."""
    body = gzip.decompress((data / page.set_name / page.label["html"]).read_bytes())
    document = parse_html(decode(body, "").text)
    url = page.label.get("url") or "https://example.org/"
    return render_selection(document, Selection(build_flow(document), kept, 0.0), url).text


def scores_of(
    data: Path, pages: Sequence[LabelledPage], chances: Sequence[NDArray[np.float64] | None]
) -> dict[str, dict[str, float]]:
    """F1, precision and recall of each set, from the finished Markdown, stripped of its marks as
    the scorer does it.
    """
    metrics = load_metrics(data)
    strip = load_metrics(data, "extractors").markdown_to_text
    metas = {name: load_set(data, name)[0] for name in SETS}
    scores: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for page, known in zip(pages, chances, strict=True):
        text = strip(markdown_of(data, page, kept_blocks(page, known)))
        scores[page.set_name].append(
            metrics.page_scores(page.label, text, metas[page.set_name]["tokenizer"])
        )
    return {name: metrics.summary(scores[name], metas[name]["metric"]) for name in SETS}


def print_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    """A line a set."""
    for name, one in scores.items():
        print(
            f"{name:18s} F1 {one['f1']:.4f}  P {one['p']:.4f}  R {one['r']:.4f}  ({one['pages']} "
            "pages)"
        )
    print(f"{'mean':18s} F1 {_mean(scores):.4f}", flush=True)


def print_row(title: str, scores: Mapping[str, Mapping[str, float]]) -> None:
    """F1 of the sets and their mean, as a row of a table."""
    figures = [*(one["f1"] for one in scores.values()), _mean(scores)]
    print(f"| {title} | {' | '.join(f'{figure:.4f}' for figure in figures)} |", flush=True)


def _mean(scores: Mapping[str, Mapping[str, float]]) -> float:
    return sum(one["f1"] for one in scores.values()) / len(scores)
