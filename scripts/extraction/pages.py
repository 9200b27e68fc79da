"""Labelled sets on disk -> pages: flow, label, set, site, fold. Read in a fixed order, so that
training repeats itself.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList
from scripts.extraction.labels import label_page

from webquarry._read.encoding.decode import decode
from webquarry._read.html.parse import Document, parse_html
from webquarry._read.main_content.blocks import Flow, build_flow

SETS = ("scrapinghub", "trafilatura-eval", "wcxb", "magic-article", "magic-forum")
FOLDS = 5
_ARCHIVED = re.compile(r"^https?://web\.archive\.org/(?:web/)?[^/]+/(?=https?:)")


@dataclass
class LabelledPage:
    """One page of a set, walked and labelled."""

    set_name: str
    label: dict[str, Any]
    site: str
    fold: int
    flow: Flow
    labels: list[float | None]
    tokens: list[int]
    gold_tokens: int


def load_metrics(data: Path, name: str = "metrics") -> ModuleType:
    """A module of the scorer that comes with the sets."""
    path = data / "harness" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"extraction_{name}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"No scorer in {data / 'harness'}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def load_set(data: Path, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The description of a set and its labels, sorted by page."""
    meta = json.loads((data / name / "dataset.json").read_text("utf-8"))
    with gzip.open(data / name / "labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    return meta, sorted(labels, key=lambda label: str(label["id"]))


def load_pages(data: Path) -> Iterator[LabelledPage]:
    """All pages of all sets."""
    tokens = load_metrics(data).tokens
    suffixes = PublicSuffixList()
    for name in SETS:
        meta, labels = load_set(data, name)

        def tokenize(text: str, kind: str = meta["tokenizer"]) -> list[str]:
            return list(tokens(text, kind))

        for label in labels:
            site = _find_site(suffixes, label)
            yield _read_page(data, name, label, site, tokenize)


def _read_page(
    data: Path,
    set_name: str,
    label: dict[str, Any],
    site: str,
    tokenize: Callable[[str], list[str]],
) -> LabelledPage:
    """Read, walk and label one page of a set."""
    flow = build_flow(read_html(data, set_name, label))
    gold_tokens = 0
    if "text" in label:
        gold_tokens = len(tokenize(label["text"]))
    return LabelledPage(
        set_name=set_name,
        label=label,
        site=site,
        fold=int(hashlib.sha256(site.encode()).hexdigest(), 16) % FOLDS,
        flow=flow,
        labels=label_page(flow.texts, label, tokenize),
        tokens=[len(tokenize(text)) for text in flow.texts],
        gold_tokens=gold_tokens,
    )


def read_html(data: Path, set_name: str, label: dict[str, Any]) -> Document:
    """The parsed page that a label is about."""
    body = gzip.decompress((data / set_name / label["html"]).read_bytes())
    return parse_html(decode(body, "").text)


def _find_site(suffixes: PublicSuffixList, label: dict[str, Any]) -> str:
    """The registered domain of a page, or whatever tells it from others."""
    url = _ARCHIVED.sub("", label.get("url") or "")
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        host = ""
    return str(suffixes.privatesuffix(host) or host or label["id"])
