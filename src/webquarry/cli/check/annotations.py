"""Rows -> what continuous integration shows beside the lines of a change: workflow commands of
GitHub, or SARIF 2.1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webquarry import __version__
from webquarry.cli.check.findings import CheckRow
from webquarry.surfaces.terminal import one_line

_LONGEST = 300  # characters of a text in a message
_RULES = {
    "quote": "A quotation beside the words of its source",
    "number": "A number beside the numbers of the source that is cited with it",
    "reference": "A reference beside the records of indexes",
}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write_github(rows: Sequence[CheckRow], failing: Sequence[CheckRow]) -> list[str]:
    """A workflow command for each row that somebody should look at."""
    lines = []
    for row in rows:
        is_failing = row in failing
        if not is_failing and not row.is_notable:
            continue
        level = "error" if is_failing else "warning"
        place = f"file={_escape(row.file, property=True)},line={row.line}"
        title = _escape(f"{row.kind}: {row.verdict}", property=True)
        lines.append(f"::{level} {place},title={title}::{_escape(say(row))}")
    return lines


def _escape(text: str, *, property: bool = False) -> str:
    """A text in which nothing can end the command or begin another."""
    text = one_line(text).replace("%", "%25")
    if property:
        text = text.replace(":", "%3A").replace(",", "%2C")
    return text


def say(row: CheckRow) -> str:
    """A row in a sentence."""
    text = one_line(row.text)
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + "…"
    said = f"{row.verdict}: “{text}”"
    if row.url:
        said += f" in {row.url}"
    if row.detail:
        said += f": {row.detail}"
    return said


def build_sarif(rows: Sequence[CheckRow], failing: Sequence[CheckRow]) -> dict[str, Any]:
    """The rows that somebody should look at, as one SARIF run."""
    results: list[dict[str, Any]] = []
    for row in rows:
        is_failing = row in failing
        if not is_failing and not row.is_notable:
            continue
        location = {
            "physicalLocation": {
                "artifactLocation": {"uri": row.file.replace("\\", "/")},
                "region": {"startLine": max(1, row.line)},
            }
        }
        results.append(
            {
                "ruleId": f"{row.kind}/{row.verdict}",
                "level": "error" if is_failing else "warning",
                "message": {"text": say(row)},
                "locations": [location],
            }
        )
    names = sorted({result["ruleId"] for result in results})
    rules = []
    for name in names:
        kind = name.partition("/")[0]
        rules.append({"id": name, "shortDescription": {"text": _RULES[kind]}})
    driver = {
        "name": "webquarry check",
        "version": __version__,
        "rules": rules,
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
