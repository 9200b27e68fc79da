"""Train the main-content model from the labelled sets and print what it scores on sites it has not seen.

    python scripts/train_extraction.py --data DIR [--write] [--markdown]

DIR holds the five sets and the scorer (`harness/metrics.py`). Needs the `train` extra. Without --write the shipped model
stays as it is. The sets are for measuring and training only; nothing of them but learned numbers goes into the package.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded: one thread, one result
    os.environ[variable] = "1"
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from scripts.extraction.lifts import page_lifts  # noqa: E402
from scripts.extraction.pages import load_pages  # noqa: E402
from scripts.extraction.scores import kept_blocks, print_scores  # noqa: E402
from scripts.extraction.training import as_data, fit, out_of_fold, table_of  # noqa: E402
from webquarry.read.main_content.columns import COLUMNS  # noqa: E402

MODEL = ROOT / "src" / "webquarry" / "data" / "extraction" / "model.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    parser.add_argument("--write", action="store_true", help="replace the model that ships")
    parser.add_argument("--no-folds", action="store_true", help="train on everything at once, print no figures")
    options = parser.parse_args()

    pages = list(load_pages(options.data))
    lifts = [page_lifts(page) for page in pages]
    names = list(COLUMNS)
    print(f"{len(pages)} pages, {len({page.site for page in pages})} sites, {len(names)} features", flush=True)
    if not options.no_folds:
        chances = out_of_fold(pages, lifts, names, lambda text: print(text, flush=True))
        kept = [kept_blocks(page, chances.get(number)) for number, page in enumerate(pages)]
        print_scores(options.data, pages, kept)
    if options.write:
        table = table_of(pages, lifts, None)
        data = as_data(fit(pages, table, names, None), table.all(), names)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        MODEL.parent.mkdir(parents=True, exist_ok=True)
        MODEL.write_text(text + "\n", "utf-8")
        print(f"{MODEL.relative_to(ROOT)}: {len(text.encode()) / 1000:.0f} KB, {len(data['features'])} features used")


if __name__ == "__main__":
    main()
