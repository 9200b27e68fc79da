"""Chances out of fold -> F1, precision and recall of each set, by the scorer that comes with the sets."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.extraction.pages import SETS, LabelledPage, load_metrics, load_set

from webquarry.read.decode import decode
from webquarry.read.html import parse_html
from webquarry.read.main_content.blocks import flow_of
from webquarry.read.main_content.choose import choose
from webquarry.read.main_content.render import render_selection
from webquarry.read.main_content.select import Selection
from webquarry.read.main_content.texts import words_in


def kept_blocks(page: LabelledPage, chances: NDArray[np.float64] | None) -> list[int]:
    if chances is None:
        return []
    return choose(page.flow, chances, np.array([words_in(text) for text in page.flow.texts]))


def markdown_of(data: Path, page: LabelledPage, kept: list[int]) -> str:
    """What a reader gets of a page, hidden text left out."""
    body = gzip.decompress((data / page.set_name / page.label["html"]).read_bytes())
    document = parse_html(decode(body, "").text)
    url = page.label.get("url") or "https://example.org/"
    return render_selection(document, Selection(flow_of(document), kept, 0.0), url).text


def print_scores(data: Path, pages: Sequence[LabelledPage], kept: Sequence[list[int]]) -> None:
    """A line a set, from the finished Markdown, stripped of its marks as the scorer does it."""
    metrics = load_metrics(data)
    strip = load_metrics(data, "extractors").markdown_to_text
    metas = {name: load_set(data, name)[0] for name in SETS}
    scores: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for page, blocks in zip(pages, kept, strict=True):
        text = strip(markdown_of(data, page, blocks))
        scores[page.set_name].append(metrics.page_scores(page.label, text, metas[page.set_name]["tokenizer"]))
    total = 0.0
    for name in SETS:
        result = metrics.summary(scores[name], metas[name]["metric"])
        total += result["f1"]
        print(f"{name:18s} F1 {result['f1']:.4f}  P {result['p']:.4f}  R {result['r']:.4f}  ({result['pages']} pages)")
    print(f"{'mean':18s} F1 {total / len(SETS):.4f}", flush=True)
