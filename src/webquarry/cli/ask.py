"""`webquarry ask`: one question to a model that may search the web once.

The answer and its sources go to stdout, the usage to stderr; JSON has all of it.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.output import Output, pager_option, print_line, with_output
from webquarry.terminal import count_noun

if TYPE_CHECKING:
    from webquarry.ask.models import ModelReply, Progress, Question


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--context", default="", help="Text that the question is about.")
@click.option(
    "--model",
    help="A model of Anthropic, or vendor/model such as ollama/qwen3. "
    "Default: WEBQUARRY_ASK_MODEL.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 128_000),
    default=1000,
    help="Maximum length of the answer in tokens.",
)
@click.option("--no-search", is_flag=True, help="Answer without a search.")
@click.option(
    "--schema", help='Fields of a typed answer, such as {"ceo": "VARCHAR", "founded": "INTEGER"}.'
)
@click.option("--max-usd", type=click.FloatRange(min=0), help="Maximum cost in US dollars.")
@click.option("--fresh", is_flag=True, help="Skip stored answers.")
@click.option("--dry-run", is_flag=True, help="Show the maximum cost without asking.")
@pager_option
@with_output
def ask(
    output: Output,
    question: tuple[str, ...],
    context: str,
    model: str | None,
    max_tokens: int,
    no_search: bool,
    schema: str | None,
    max_usd: float | None,
    fresh: bool,
    dry_run: bool,
    pager: bool,
) -> None:
    """Ask a model, which may search the web once.

    Needs a key, or a model of your own (--model ollama/...). A search roughly doubles the cost.
    """
    from webquarry.ask.models import Question
    from webquarry.bridge import bridge

    search = False if no_search else None
    asked = Question(context, " ".join(question), model, max_tokens, search, schema, fresh)
    asked.require_text()
    with output.show_progress("asking the model"):
        reply, progress = bridge.run(_ask_engine(asked, max_usd, dry_run))
    if not dry_run:
        print_line(f"{reply.model}: {_describe_usage(reply)}")
    if reply.error is not None:
        raise reply.error.as_exception()
    if not dry_run or reply.answer is not None:
        _show_reply(output, reply, pager)
        return
    plan = {"calls": progress.planned, "worst_usd": round(progress.worst_usd, 6)}
    sentence = "The answer is stored; asking costs nothing."
    if progress.planned:
        sentence = f"Asking costs at most {progress.worst_usd:.4f} USD."
    output.show_line({"dry_run": plan}, sentence)


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


def _show_reply(output: Output, reply: ModelReply, pager: bool) -> None:
    """Print the answer and its sources."""

    def render() -> None:
        from webquarry.cli.render import show_markdown

        show_markdown(output, (reply.answer or "").strip("\n"))
        if reply.partial:
            output.print("(cut: raise --max-tokens)", style="yellow")
        if reply.sources:
            output.write("\nSources")
        for number, source in enumerate(reply.sources, 1):
            output.print(f"{source.title}  {source.url}", f"{number:>2}. ")

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


def _describe_usage(reply: ModelReply) -> str:
    """What the answer took, in one line."""
    usage = reply.usage
    if reply.remembered:
        return "stored answer; it cost nothing"
    calls = count_noun(usage.calls, "call")
    searches = count_noun(usage.searches, "search", "searches")
    cached = f" ({usage.cached_tokens} more from the cache)" if usage.cached_tokens else ""
    tokens = f"{usage.input_tokens} tokens in{cached}, {usage.output_tokens} out"
    line = f"{calls}, {searches}, {tokens}, {usage.usd:.4f} USD"
    if usage.unpriced_calls:
        line += " and the cost of the model, whose price is not known"
    return line
