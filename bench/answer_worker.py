"""Worker for the answers benchmark: a JSON line with `id`, `html_path` and `url` in, one with `id`
and `text` out.

    python bench/answer_worker.py [--probabilities DIR]

The text is that of `scrape_page`. A line may also have `question` and `max_tokens`: then the text is
the relevant part, within that many tokens. --probabilities replaces the model by probabilities out of
fold, as written by `scripts/train_extraction.py --save-probabilities DIR`. Runs until its input ends;
never uses the network.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from webquarry._read.encoding.decode import decode
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.model import Probabilities
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.slices.text import WrittenText
from webquarry.errors import WebquarryError
from webquarry.evidence.language.passages import excerpt_of
from webquarry.evidence.models import BYTES_PER_TOKEN


def read_file(path: Path, url: str, probabilities: Probabilities | None) -> WrittenText:
    """Return the main content of a file as it is stored."""
    document = parse_html(decode(path.read_bytes(), "").text)
    selection = select_main_content(document, probabilities=probabilities)
    return render_selection(document, selection, url).written.for_storage()


def load_probabilities(folder: Path) -> dict[str, Probabilities]:
    """Return the probabilities of each page's blocks, by the id of the page."""
    probabilities = {}
    with (folder / "probabilities.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            probabilities[row["id"]] = Probabilities(row["first"], row["final"])
    return probabilities


def answer(request: dict[str, Any], probabilities: Probabilities | None) -> str:
    """Return the text for one request."""
    url = request.get("url") or "https://localhost/"
    text = read_file(Path(request["html_path"]), url, probabilities)
    if "question" not in request:
        return text.data.decode()
    budget = BYTES_PER_TOKEN * request["max_tokens"]
    return excerpt_of(text, request["question"], budget).content.decode()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--probabilities", type=Path, help="folder with probabilities out of fold")
    options = parser.parse_args()
    if sys.stdin.isatty():
        print("The answers benchmark starts this worker with --cmd.")
        return
    known: dict[str, Probabilities] = {}
    if options.probabilities:
        known = load_probabilities(options.probabilities)
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"id": request["id"], "text": ""}
        try:
            reply["text"] = answer(request, known.get(request["id"]))
        except (OSError, ValueError, WebquarryError) as error:
            reply["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
