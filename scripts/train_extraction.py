"""Train the main-content model from the labelled sets and print its scores on unseen domains.

    python scripts/train_extraction.py --data DIR [--write] [--nested] [--without PART ...]

DIR holds the five sets and the scorer (`harness/metrics.py`). Needs the `train` extra. Without
--write the shipped model does not change. The sets are for measuring and training only; nothing of
them but learned numbers goes into the package.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# before numpy is loaded: one thread gives one result
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from scripts.extraction.groups import GROUPS  # noqa: E402
from scripts.extraction.pages import load_pages  # noqa: E402
from scripts.extraction.scores import compute_scores, print_row, print_scores  # noqa: E402
from scripts.extraction.stages import as_data  # noqa: E402
from scripts.extraction.training import COMMON, Trainer  # noqa: E402

from webquarry._native import CONTEXT_NAMES, FEATURE_NAMES  # noqa: E402
from webquarry._read.main_content.model import Probabilities, blend  # noqa: E402
from webquarry._read.main_content.select import RULES  # noqa: E402

if TYPE_CHECKING:
    from scripts.extraction.pages import LabelledPage
    from scripts.extraction.training import PageProbabilities

MODEL = ROOT / "src" / "webquarry" / "data" / "extraction" / "model.json"
RULE_NAMES = [rule.__name__ for rule in RULES]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    parser.add_argument("--write", action="store_true", help="replace the model that ships")
    parser.add_argument(
        "--nested", action="store_true", help="train the first stage again for every fold"
    )
    parser.add_argument(
        "--save-probabilities", type=Path, help="folder for the probabilities out of fold"
    )
    parser.add_argument(
        "--without",
        nargs="+",
        default=[],
        choices=[*GROUPS, *RULE_NAMES],
        help="print the scores without a group of features or a rule",
    )
    parser.add_argument(
        "--seed", type=int, default=COMMON["random_seed"], help="seed of the first training"
    )
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    COMMON["random_seed"] = options.seed
    pages = list(load_pages(options.data))
    trainer = Trainer(pages, lambda text: print(text, flush=True))
    first = trainer.predict_first()
    if options.write:
        write_model(trainer, first)
    second = trainer.predict_second(first, nested=options.nested)
    probabilities = match_pages(pages, trainer, first, second)
    if options.save_probabilities:
        save_probabilities(options.save_probabilities, pages, probabilities)
    print("\nOut of fold:")
    print_scores(compute_scores(options.data, pages, probabilities))
    for part in options.without:
        if part in RULE_NAMES:
            rules = [rule for rule in RULES if rule.__name__ != part]
            scores = compute_scores(options.data, pages, probabilities, rules)
        else:
            trainer.left_out = part
            first = trainer.predict_first()
            second = trainer.predict_second(first, nested=options.nested)
            without = match_pages(pages, trainer, first, second)
            scores = compute_scores(options.data, pages, without)
        print_row(f"without {part}", scores)


def match_pages(
    pages: list[LabelledPage],
    trainer: Trainer,
    first: PageProbabilities,
    second: PageProbabilities,
) -> list[Probabilities | None]:
    """Return the probabilities of all pages; None for those without text, which are not trained."""
    known = {}
    for page, early, late in zip(trainer.pages, first, second, strict=True):
        if early is not None and late is not None:
            known[id(page)] = Probabilities(early.tolist(), blend(early, late))
    return [known.get(id(page)) for page in pages]


def write_model(trainer: Trainer, first: PageProbabilities) -> None:
    """Train both stages on all pages and replace the model of the package."""
    lifts = trainer.table.all()
    depth = COMMON["depth"]
    second = trainer.fit_second(trainer.build_contexts(first), set())
    data = {
        "first": as_data(trainer.fit_first(set()), FEATURE_NAMES, depth),
        "second": as_data(second, CONTEXT_NAMES, depth),
        "class_lifts": dict(lifts.classes),
        "word_lifts": dict(lifts.words),
        "long_word_lifts": dict(lifts.long_words),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    MODEL.write_text(text + "\n", "utf-8")
    print(f"{MODEL.relative_to(ROOT)}: {len(text.encode()) / 1000:.0f} KB")


def save_probabilities(
    folder: Path, pages: list[LabelledPage], probabilities: list[Probabilities | None]
) -> None:
    """Write the probabilities of all pages for `bench/answer_worker.py --probabilities`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "probabilities.jsonl").open("w", encoding="utf-8") as lines:
        for page, own in zip(pages, probabilities, strict=True):
            if own is not None:
                row = {
                    "set": page.set_name,
                    "id": page.label["id"],
                    "first": [round(number, 4) for number in own.first],
                    "final": [round(number, 4) for number in own.final],
                }
                lines.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
