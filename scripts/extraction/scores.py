"""Probabilities out of fold -> F1, precision and recall of each set, by the scorer of the sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.extraction.pages import SETS, LabelledPage, load_metrics, load_set, read_html

from webquarry._read.main_content.model import Probabilities
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import RULES, Rule, select_main_content


def compute_scores(
    data: Path,
    pages: Sequence[LabelledPage],
    probabilities: Sequence[Probabilities | None],
    rules: Sequence[Rule] = RULES,
) -> dict[str, dict[str, float]]:
    """Return the scores of each set, from the finished Markdown without its markup."""
    metrics = load_metrics(data)
    strip = load_metrics(data, "extractors").markdown_to_text
    metas = {name: load_set(data, name)[0] for name in SETS}
    scores: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for page, own in zip(pages, probabilities, strict=True):
        text = ""
        if own is not None:
            document = read_html(data, page.set_name, page.label)
            selection = select_main_content(document, probabilities=own, rules=rules)
            url = page.label.get("url") or "https://localhost/"
            text = strip(render_selection(document, selection, url).text)
        tokenizer = metas[page.set_name]["tokenizer"]
        scores[page.set_name].append(metrics.page_scores(page.label, text, tokenizer))
    return {name: metrics.summary(scores[name], metas[name]["metric"]) for name in SETS}


def print_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    """Print a line per set."""
    for name, one in scores.items():
        figures = f"F1 {one['f1']:.4f}  P {one['p']:.4f}  R {one['r']:.4f}"
        print(f"{name:18s} {figures}  ({one['pages']} pages)")
    print(f"{'mean':18s} F1 {_mean(scores):.4f}", flush=True)


def print_row(title: str, scores: Mapping[str, Mapping[str, float]]) -> None:
    """Print F1 of the sets and their mean as a row of a Markdown table."""
    figures = [*(one["f1"] for one in scores.values()), _mean(scores)]
    cells = [title, *(f"{figure:.4f}" for figure in figures)]
    print(f"| {' | '.join(cells)} |", flush=True)


def _mean(scores: Mapping[str, Mapping[str, float]]) -> float:
    return sum(one["f1"] for one in scores.values()) / len(scores)
