"""Main content against the labelled sets: F1, precision, recall and CPU per page, beside
trafilatura and resiliparse.

    WEBQUARRY_EXTRACTION_DATA=DIR python bench/extraction.py [--sample 60] [--sets wcxb,scrapinghub]

DIR holds the sets and their scorer (`harness/run.py`). All extractors run page by page in rotating
order, so that a busy machine slows all of them alike. The libraries are asked of the interpreter in
WEBQUARRY_BENCH_PYTHON, or of this one. The shipped model was trained on the halves that are
published for training: on those its F1 reads too high. The honest figures, out of fold, are printed
by `scripts/train_extraction.py`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

SETS = ("scrapinghub", "trafilatura-eval", "wcxb", "magic-article", "magic-forum")
LIBRARIES = ("trafilatura", "resiliparse")
WORKER = Path(__file__).resolve().parent / "extract_worker.py"


def find_libraries(python: str) -> list[str]:
    """The libraries that the interpreter can import; says which ones it cannot."""
    found = []
    for name in LIBRARIES:
        done = subprocess.run([python, "-c", f"import {name}"], capture_output=True)
        if done.returncode == 0:
            found.append(name)
        else:
            print(f"{name} is not installed for {python}: left out (pip install {name}).")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=0, help="only so many pages of each set")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets, by name")
    options = parser.parse_args()

    place = os.environ.get("WEBQUARRY_EXTRACTION_DATA", "")
    data = Path(place)
    if not place or not (data / "harness" / "run.py").exists():
        print(
            "No labelled pages: set WEBQUARRY_EXTRACTION_DATA to the folder with the sets and "
            "harness/run.py."
        )
        return 0
    python = os.environ.get("WEBQUARRY_BENCH_PYTHON", sys.executable)
    libraries = find_libraries(python)
    worker = shlex.join([sys.executable, str(WORKER)])
    print(
        "The shipped model has seen these pages if they are the training halves; see "
        "scripts/train_extraction.py.\n"
    )
    for name in options.sets.split(","):
        if not (data / name / "dataset.json").exists():
            print(f"{name}: not in {data}")
            continue
        command = [python, str(data / "harness" / "run.py"), "--interleave"]
        command += ["--data", str(data / name), "--sample", str(options.sample)]
        command += ["--cmd", f"webquarry={worker}", "--format", "markdown"]
        if libraries:
            command += ["--extractor", ",".join(libraries)]
        subprocess.run(command, check=True)
        print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
