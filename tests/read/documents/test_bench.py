"""The documents of `bench/documents` lose no fact that was read before."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[3] / "bench"
# Facts, structure, unwanted words and reading order.
SCORES = {"pdf": (58, 52, 0, 44), "docx": (38, 32, 0, 31), "pptx": (19, 15, 0, 15)}


def load_bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("documents_bench", BENCH / "documents.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", SCORES)
def test_bench_score_does_not_decrease(kind: str) -> None:
    bench = load_bench()
    counts: Counter[str] = Counter()
    misses: list[str] = []
    for line in (BENCH / "documents" / "facts.jsonl").read_text("utf-8").splitlines():
        expected = json.loads(line)
        path = BENCH / "documents" / "files" / expected["file"]
        if path.suffix == f".{kind}":
            found, missed = bench.score(expected, bench.read_with_webquarry(path))
            counts.update(found)
            misses += [f"{path.name}: {miss}" for miss in missed]
    facts, structure, wrong, order = SCORES[kind]

    assert counts["facts"] >= facts, misses
    assert counts["structure"] >= structure, misses
    assert counts["order"] >= order, misses
    assert counts["wrong"] <= wrong, misses
