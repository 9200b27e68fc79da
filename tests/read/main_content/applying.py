"""Helpers that apply one rule to a small page."""

from __future__ import annotations

from collections.abc import Sequence

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.select import Rule

ARTICLE = '<meta property="og:type" content="article">'


def parse(body: str, head: str = "") -> Flow:
    return build_flow(parse_html(f"<html><head>{head}</head><body>{body}</body></html>"))


def apply(
    rule: Rule, flow: Flow, kept: Sequence[int], probability: float | Sequence[float] = 0.1
) -> list[int]:
    """Return the kept blocks after a rule; a single probability is that of all blocks."""
    size = len(flow.texts)
    likely = [probability] * size if isinstance(probability, float) else list(probability)
    marks = bytearray(index in kept for index in range(size))
    rule(flow, likely, marks)
    return [index for index in range(size) if marks[index]]
