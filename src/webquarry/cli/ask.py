"""`webquarry ask`: one question to a model that may search the web once.

The answer and its sources go to stdout, the usage to stderr; JSON holds all of it.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.cli.options import AsJson, Pager
from webquarry.cli.output import Output, command_output, open_console
from webquarry.terminal import count_noun, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.ask.models import ModelReply, Progress, Question


def ask(
    question: Annotated[
        list[str], typer.Argument(help="The question; no quotation marks are needed.")
    ],
    context: Annotated[str, typer.Option(help="Text that the question is about.")] = "",
    model: Annotated[
        str | None,
        typer.Option(
            help="A model of Anthropic, or vendor/model such as ollama/qwen3. "
            "Default: WEBQUARRY_ASK_MODEL."
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(help="Maximum length of the answer in tokens.", min=1, max=128_000)
    ] = 1000,
    no_search: Annotated[
        bool, typer.Option("--no-search", help="Answer without a search.")
    ] = False,
    schema: Annotated[
        str | None,
        typer.Option(
            help='Fields of a typed answer, such as {"ceo": "VARCHAR", "founded": "INTEGER"}.'
        ),
    ] = None,
    max_usd: Annotated[
        float | None, typer.Option(help="Maximum cost in US dollars.", min=0)
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Skip stored answers.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the maximum cost without asking.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Ask a model, which may search the web once.

    Needs a key, or a model of your own (--model ollama/...). A search roughly doubles the cost.
    """
    with command_output(as_json) as output:
        from webquarry.ask.models import Question
        from webquarry.bridge import bridge

        search = False if no_search else None
        asked = Question(context, " ".join(question), model, max_tokens, search, schema, fresh)
        asked.require_text()
        with output.show_progress("asking the model"):
            reply, progress = bridge.run(_ask_engine(asked, max_usd, dry_run))
        if not dry_run:
            _write_usage(reply)
        if reply.error is not None:
            raise reply.error.as_exception()
        if not dry_run or reply.answer is not None:
            _show_reply(output, reply, pager=pager)
            return
        plan = {"calls": progress.planned, "worst_usd": round(progress.worst_usd, 6)}
        sentence = "The answer is kept from before; asking costs nothing."
        if progress.planned:
            sentence = f"Asking costs at most {progress.worst_usd:.4f} USD."
        output.show({"dry_run": plan}, lambda console: output.write(sentence))


async def _ask_engine(
    question: Question, max_usd: float | None, dry_run: bool
) -> tuple[ModelReply, Progress]:
    """Return the reply and the progress of its statement."""
    from webquarry.toolkit import Toolkit

    async with Toolkit.open() as kit:
        engine = kit.open_engine()
        try:
            limits = engine.limits()
            if max_usd is not None:
                limits = replace(limits, max_usd=max_usd)
            statement = engine.statement(door="cli", limits=limits, dry_run=dry_run)
            return await engine.ask(question, statement), statement.progress()
        finally:
            await engine.aclose()


def _show_reply(output: Output, reply: ModelReply, *, pager: bool) -> None:
    """Print the answer and its sources."""

    def render(console: Console) -> None:
        from rich.text import Text

        from webquarry.cli.layout import link, print_hanging
        from webquarry.cli.markdown import show_markdown

        show_markdown(console, (reply.answer or "").strip("\n"))
        if reply.partial:
            console.print(Text("(cut: raise --max-tokens)", "yellow"), soft_wrap=True)
        if reply.sources:
            console.print(Text("\nSources", "bold"))
        for number, source in enumerate(reply.sources, 1):
            line = Text.assemble(one_line(source.title), "  ", link(one_line(source.url)))
            print_hanging(console, Text(f"{number:>2}. ", "dim"), line)

    fields: dict[str, Any] = {
        "answer": reply.answer,
        "sources": [asdict(source) for source in reply.sources],
        "searched": reply.searched,
        "partial": reply.partial,
        "remembered": reply.remembered,
        "model": reply.model,
        "usage": asdict(reply.usage),
    }
    if reply.value is not None:
        fields["value"] = reply.value
    output.show(fields, render, pager=pager)


def _write_usage(reply: ModelReply) -> None:
    """Write the usage to stderr."""
    usage = reply.usage
    if reply.remembered:
        line = "kept from before; it cost nothing"
    else:
        calls = count_noun(usage.calls, "call")
        searches = count_noun(usage.searches, "search", "searches")
        cached = ""
        if usage.cached_tokens:
            cached = f" ({usage.cached_tokens} more from the cache)"
        tokens = f"{usage.input_tokens} tokens in{cached}, {usage.output_tokens} out"
        line = f"{calls}, {searches}, {tokens}, {usage.usd:.4f} USD"
        if usage.unpriced_calls:
            line += " and what the model costs: no price is known for it"
    sys.stdout.flush()
    text = one_line(f"{reply.model}: {line}")
    if not sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
        return
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    print_hanging(open_console(stderr=True), "", Text(text), indent=4)
