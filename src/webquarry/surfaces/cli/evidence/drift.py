"""`webquarry drift`: the pages that a session or an evidence pack cites are read again; which
changed, moved or are gone, and whether each quote still stands there, comes out.

Exit codes: 0 nothing that `--fail-on` names, 1 failed, 4 something that it names. What was kept is
compared with, and never replaced.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.surfaces.cli.evidence.pack import read_pack_file
from webquarry.surfaces.cli.session.ids import find_session_id
from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.toolkit import Toolkit
    from webquarry.verify.drift.cited import EarlierReading
    from webquarry.verify.drift.models import PageDrift

_FAILING = "quote_changed,quote_gone,page_gone"
_EXIT_DRIFT = 4
_WORDS = {
    "same": "the server says that it is as it was",
    "same_text": "its text is the same",
    "quote_there": "it changed, and what was quoted is still there",
    "quote_changed": "words that were quoted are others now",
    "quote_gone": "what was quoted is not there any more",
    "text_changed": "its text changed",
    "readable": "it can be read; nothing was kept to compare it with",
    "page_gone": "it is gone",
    "blocked": "it is refused to programs now",
    "unreachable": "it cannot be reached now",
}
_GOOD = ("same", "same_text", "quote_there", "readable")


def drift(
    subject: Annotated[
        str,
        typer.Argument(help="A research session, by its id or its first letters, or FILE.wacz."),
    ],
    fail_on: Annotated[
        str, typer.Option(help="States, separated by commas, that end in exit code 4; or none.")
    ] = _FAILING,
    as_json: AsJson = None,
) -> None:
    """Read cited pages again: which changed, and does each quote still stand there?"""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        failing = _parse_states(fail_on)
        pack_file = None
        if subject.lower().endswith(".wacz"):
            pack_file = Path(subject)
        id = ""
        if pack_file is None:
            id = find_session_id(subject)
        with output.show_progress("reading the pages again"):
            pages = bridge.run(_check(id, pack_file))
        counts = Counter(page.state for page in pages)
        moved = sum(page.moved_to is not None for page in pages)
        answer: dict[str, Any] = {
            "pages": [page.model_dump(by_alias=True, exclude_none=True) for page in pages],
            "counts": dict(sorted(counts.items())),
            "moved": moved,
        }
        output.show(answer, lambda console: _show(console, answer))
        if failing & set(counts):
            raise typer.Exit(_EXIT_DRIFT)


async def _check(id: str, pack_file: Path | None) -> list[PageDrift]:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.drift.check import DriftChecker

    async with Toolkit.open(runner="fork") as kit:
        cited = await _list_pages(kit, id, pack_file)
        checker = DriftChecker(kit.client, kit.reader, kit.pages, kit.settings, kit.clock)
        return await checker.check_all(cited)


async def _list_pages(kit: Toolkit, id: str, pack_file: Path | None) -> list[EarlierReading]:
    """The pages that a session or a pack cites; a pack is checked first."""
    from webquarry.verify.drift.cited import list_cited_pages, list_packed_pages
    from webquarry.verify.pack.check import check_pack
    from webquarry.verify.pack.problem import DamagedPack
    from webquarry.verify.pack.wacz import read_wacz

    if pack_file is None:
        return list_cited_pages(await kit.sessions.read(id))
    data = read_pack_file(pack_file)
    report = check_pack(data, "webquarry")
    if not report.is_intact:
        raise DamagedPack(report.problems[0])
    return list_packed_pages(read_wacz(data))


def _parse_states(text: str) -> set[str]:
    from webquarry.errors import BadInput
    from webquarry.verify.drift.models import STATES

    names = {name.strip() for name in text.split(",") if name.strip()}
    if names == {"none"}:
        return set()
    unknown = names - set(STATES)
    if unknown:
        raise BadInput(
            f"The option --fail-on does not know {', '.join(sorted(unknown))}.",
            suggested_action=f"Use some of: {', '.join(STATES)}; or none.",
        )
    return names


def _show(console: Console, answer: dict[str, Any]) -> None:
    from rich.text import Text

    from webquarry.surfaces.display.layout import link, print_hanging

    if not answer["pages"]:
        sentence = "The session has no page that was read: there is nothing to compare."
        print_hanging(console, "", Text(sentence))
    for page in answer["pages"]:
        style = "green" if page["state"] in _GOOD else "red"
        title = one_line(page["title"] or page["url"])
        print_hanging(console, f"[{page['number']}] ", Text(title))
        print_hanging(console, "    ", link(one_line(page["url"])))
        line = Text(f"{page['state']}: {_WORDS[page['state']]}", style)
        if "reason" in page:
            line.append(f" ({one_line(page['reason'])})")
        print_hanging(console, "    ", line)
        if "movedTo" in page:
            print_hanging(console, "    ", Text(f"moved to {one_line(page['movedTo'])}"))
        if "archive" in page:
            copy = page["archive"]
            words = f"archive copy of {copy['date']}: {one_line(copy['url'])}"
            print_hanging(console, "    ", Text(words))
        for quote in page.get("quotes", []):
            _show_quote(console, quote)


def _show_quote(console: Console, quote: dict[str, Any]) -> None:
    """A quote that is not there as it was, with the words that differ."""
    from rich.text import Text

    from webquarry.surfaces.display.layout import print_hanging

    words = one_line(quote["quote"])
    state = quote["state"]
    if quote.get("inArchive"):
        state += ", but in the archive's copy"
    print_hanging(console, "      ", Text(f"“{words}”: {state}"))
    for change in quote.get("changes", []):
        line = f"{change['kind']}: “{change['quote']}” is “{change['page']}” now"
        print_hanging(console, "        ", Text(one_line(line)))
