"""What a model is handed of a page, for the scorer of answers: a JSON line with `id`, `html_path`
and `url` in, one with `id` and `text` out.

    python bench/answer_worker.py [--chances DIR]

The text is what `scrape_page` gives. A line may also hold a `question` and `max_tokens`: then it is
what bears on the question, within that many tokens. With --chances the blocks are judged by the
chances in DIR, which `scripts/train_extraction.py --keep-chances DIR` writes for pages that the
model has not seen. Runs until its input ends; never touches the network.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from webquarry._read.encoding.decode import decode
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.slices.links import make_lean
from webquarry.errors import WebquarryError
from webquarry.evidence.language.passages import excerpt_of
from webquarry.evidence.language.size import BYTES_PER_TOKEN


def read_file(path: Path, url: str, chances: Chances | None) -> str:
    """The main content of a file as Markdown, without link targets."""
    document = parse_html(decode(path.read_bytes(), "").page)
    selection = select_main_content(document, chances=chances)
    markdown = render_selection(document, selection, url).text
    return make_lean(markdown.encode()).data.decode()


def load_chances(folder: Path) -> dict[str, Chances]:
    """The chances of the blocks of pages, by the id of the page, which no two sets share."""
    chances = {}
    with (folder / "chances.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            chances[row["id"]] = Chances(row["first"], row["final"])
    return chances


def answer(request: dict[str, Any], chances: Chances | None) -> str:
    """The text for one request."""
    url = request.get("url") or "https://localhost/"
    text = read_file(Path(request["html_path"]), url, chances)
    if "question" not in request:
        return text
    budget = BYTES_PER_TOKEN * request["max_tokens"]
    return excerpt_of(text.encode(), request["question"], budget).content.decode()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chances", type=Path, help="folder with chances out of fold")
    options = parser.parse_args()
    if sys.stdin.isatty():
        print("This answers the scorer of answers, which starts it with --cmd.")
        return
    known: dict[str, Chances] = {}
    if options.chances:
        known = load_chances(options.chances)
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
