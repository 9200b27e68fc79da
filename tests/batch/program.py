"""A program that reads a pickled function from stdin and calls it on many rows on request.

python -m tests.batch.program ROWS DISTINCT

It says "ready", waits for a line, and says as JSON how it went.
"""

from __future__ import annotations

import base64
import json
import pickle
import sys
from collections import Counter

import pyarrow

import webquarry.batch


def build_texts(rows: int, distinct: int) -> list[str]:
    """Return the rows, with repeats."""
    return [f"Company {number % distinct:03}" for number in range(rows)]


def main() -> None:
    function = pickle.loads(base64.b64decode(sys.stdin.readline()))
    texts = pyarrow.table({"company": build_texts(int(sys.argv[1]), int(sys.argv[2]))})
    webquarry.batch.read_bill()  # which opens everything
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    calls = 0
    errors: Counter[str] = Counter()
    answered = 0
    for batch in texts.to_batches(max_chunksize=2500):
        for row in function(batch).to_pylist():
            calls += row["usage"]["calls"]
            answered += row["answer"] is not None
            if row["error"] is not None:
                errors[row["error"]["code"]] += 1
    webquarry.batch.close()
    results = {"calls": calls, "answered": answered, "errors": errors}
    sys.stdout.write(json.dumps(results) + "\n")


if __name__ == "__main__":
    main()
