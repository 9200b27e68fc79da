"""Train the main-content model from the labelled sets and print what it scores on sites it has not
seen.

    python scripts/train_extraction.py --data DIR [--write] [--nested] [--without PART ...]

DIR holds the five sets and the scorer (`harness/metrics.py`). Needs the `train` extra. Without
--write the shipped model stays as it is. The sets are for measuring and training only; nothing of
them but learned numbers goes into the package.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# before numpy is loaded: one thread, one result
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import numpy as np  # noqa: E402
from scripts.extraction.ablation import GROUPS, RULES, leave_out_rule  # noqa: E402
from scripts.extraction.net import net_as_data  # noqa: E402
from scripts.extraction.pages import load_pages  # noqa: E402
from scripts.extraction.scores import compute_scores, print_row, print_scores  # noqa: E402
from scripts.extraction.stages import as_data  # noqa: E402
from scripts.extraction.training import COMMON, Trainer  # noqa: E402

from webquarry._read.main_content.context import CONTEXT_NAMES  # noqa: E402
from webquarry._read.main_content.feature_names import NAMES  # noqa: E402
from webquarry._read.main_content.model import Chances, blend  # noqa: E402

if TYPE_CHECKING:
    from scripts.extraction.pages import LabelledPage

    from webquarry._read.main_content.lifts import Array

    PageChances = list[Array | None]

MODEL = ROOT / "src" / "webquarry" / "data" / "extraction" / "model.json"


def parse_options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    parser.add_argument("--write", action="store_true", help="replace the model that ships")
    parser.add_argument(
        "--nested",
        action="store_true",
        help="figures with a first stage trained anew for every fold",
    )
    parser.add_argument(
        "--keep-chances", type=Path, help="folder for the chances out of fold, to look at failures"
    )
    parser.add_argument(
        "--without", nargs="+", default=[], choices=[*GROUPS, *RULES], help="what is a part worth?"
    )
    parser.add_argument(
        "--seed", type=int, default=COMMON["random_seed"], help="of the first trees"
    )
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    COMMON["random_seed"] = options.seed
    pages = list(load_pages(options.data))
    trainer = Trainer(pages, lambda text: print(text, flush=True))
    first = trainer.first_chances()
    if options.write:
        write_model(trainer, first)
    final = run_all_stages(trainer, first, nested=options.nested)
    if options.keep_chances:
        save_chances(options.keep_chances, trainer, first, final)
    whole = match_pages(pages, trainer, first, final)
    early = compute_scores(options.data, pages, match_pages(pages, trainer, first, first))
    late = compute_scores(options.data, pages, whole)
    for title, scores in (("first stage alone", early), ("all stages", late)):
        print(f"\nOut of fold, {title}:")
        print_scores(scores)
    for part in options.without:
        scores = score_without(part, options.data, pages, trainer, whole)
        print_row(f"without {part}", scores)


def run_all_stages(trainer: Trainer, first: PageChances, *, nested: bool = False) -> PageChances:
    """The chances that the package would give to pages it has not seen."""
    second, net = trainer.out_of_fold(first, nested=nested)
    blended: PageChances = []
    for early, late, opinion in zip(first, second, net, strict=True):
        if early is None or late is None or opinion is None:
            blended.append(None)
        else:
            blended.append(np.asarray(blend(early, late, opinion)))
    return blended


def match_pages(
    pages: list[LabelledPage], trainer: Trainer, first: PageChances, final: PageChances
) -> list[Chances | None]:
    """The chances of all pages; None for those without text, which the trainer does not have."""
    known = {}
    for page, early, late in zip(trainer.pages, first, final, strict=True):
        if early is not None and late is not None:
            known[id(page)] = Chances(early.tolist(), late.tolist())
    return [known.get(id(page)) for page in pages]


def score_without(
    part: str,
    data: Path,
    pages: list[LabelledPage],
    trainer: Trainer,
    whole: list[Chances | None],
) -> dict[str, dict[str, float]]:
    """What is left without a group of features or without a rule."""
    if part in RULES:
        with leave_out_rule(part):
            return compute_scores(data, pages, whole)
    trainer.left_out = part
    first = trainer.first_chances()
    final = run_all_stages(trainer, first)
    return compute_scores(data, pages, match_pages(pages, trainer, first, final))


def write_model(trainer: Trainer, first: PageChances) -> None:
    """Train all stages on everything and put them, with the tables, where the package finds
    them.
    """
    contexts = trainer.contexts(first)
    lifts = trainer.table.all()
    depth = COMMON["depth"]
    data = {
        "first": as_data(trainer.fit_first(set()), NAMES, depth),
        "second": as_data(trainer.fit_second(contexts, set()), CONTEXT_NAMES, depth),
        "net": net_as_data(trainer.fit_net(contexts)),
        "class_lifts": dict(lifts.classes),
        "word_lifts": dict(lifts.words),
        "long_word_lifts": dict(lifts.long_words),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    MODEL.parent.mkdir(parents=True, exist_ok=True)
    MODEL.write_text(text + "\n", "utf-8")
    print(f"{MODEL.relative_to(ROOT)}: {len(text.encode()) / 1000:.0f} KB")


def save_chances(folder: Path, trainer: Trainer, first: PageChances, final: PageChances) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "chances.jsonl").open("w", encoding="utf-8") as lines:
        for page, early, late in zip(trainer.pages, first, final, strict=True):
            assert early is not None
            assert late is not None
            row = {
                "set": page.set_name,
                "id": page.label["id"],
                "first": early.round(4).tolist(),
                "final": late.round(4).tolist(),
            }
            lines.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
