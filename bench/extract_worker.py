"""Main content for the extraction scorer: a JSON line with `id`, `html_path` and `url` in, one with
`id` and `text` out.

The text is Markdown. Runs until its input ends; never touches the network.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from webquarry._read.encoding.decode import decode
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry.errors import WebquarryError


def extract(path: Path, url: str) -> str:
    """The main content of a file as Markdown."""
    document = parse_html(decode(path.read_bytes(), "").text)
    selection = select_main_content(document)
    return render_selection(document, selection, url).text


def main() -> None:
    if sys.stdin.isatty():
        print("This answers the extraction scorer; see bench/extraction.py.")
        return
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request["id"], "text": ""}
        try:
            answer["text"] = extract(
                Path(request["html_path"]), request.get("url") or "https://localhost/"
            )
        except (OSError, WebquarryError) as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
