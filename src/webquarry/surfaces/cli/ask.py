"""Door: `webquarry ask`, one question to a model that may search the web once.

The answer and its sources go to stdout, what it took to stderr; as JSON, all of it is one object.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
from webquarry.surfaces.cli.terminal import AsJson, Output, command_output, one_line, printable

if TYPE_CHECKING:
    from webquarry.ask.models import Progress, Question, Reply, Trouble

_KINDS: dict[str, type[WebquarryError]] = {
    "auth": AuthFailure,
    "rate_limited": RateLimited,
    "model_gone": BadInput,
    "too_large": BadInput,
}
_CURES = {
    "auth": "Replace the key; webquarry doctor says where it was found.",
    "model_gone": "Name another model with --model or WEBQUARRY_ASK_MODEL.",
    "too_large": "Ask with a shorter context.",
}


def ask(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    context: Annotated[str, typer.Option(help="What the question is about.")] = "",
    model: Annotated[
        str | None, typer.Option(help="The model to ask. Not given: WEBQUARRY_ASK_MODEL.")
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(help="Longest answer, in tokens.", min=1, max=128_000)
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
        float | None, typer.Option(help="Most US dollars that it may cost.", min=0)
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Take no answer that was kept.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nobody; say what it may cost at most.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Ask a model, which may search the web once. Needs an Anthropic key; a search makes it about
    twice as dear.
    """
    with command_output(as_json) as output:
        from webquarry.ask.models import Question
        from webquarry.surfaces.bridge import bridge

        search = False if no_search else None
        asked = Question(context, question, model, max_tokens, search, schema, fresh)
        reply, progress = bridge.run(_asked(asked, max_usd, dry_run))
        if not dry_run:
            _tell_usage(reply)
        if reply.error is not None:
            raise _failure(reply.error)
        if dry_run and reply.answer is None:
            planned = {"calls": progress.planned, "worst_usd": round(progress.worst_usd, 6)}
            output.show({"dry_run": planned}, lambda console: output.write(_planned(progress)))
            return
        output.show(_as_dict(reply), lambda console: _show(output, reply))


async def _asked(
    question: Question, max_usd: float | None, dry_run: bool
) -> tuple[Reply, Progress]:
    from webquarry.toolkit import Toolkit

    async with Toolkit.open() as kit:
        engine = kit.open_engine()
        try:
            limits = engine.limits()
            if max_usd is None:
                limits = limits
            else:
                limits = replace(limits, max_usd=max_usd)
            statement = engine.statement(door="cli", limits=limits, dry_run=dry_run)
            return await engine.ask(question, statement), statement.progress()
        finally:
            await engine.aclose()


def _show(output: Output, reply: Reply) -> None:
    """The answer, then what it stands on."""
    from rich.text import Text

    show = output.console.print
    show(Text(printable(reply.answer or "")), soft_wrap=True)
    if reply.partial:
        show(Text("(cut: raise --max-tokens)", "yellow"), soft_wrap=True)
    if reply.sources:
        show(Text("\nSources", "bold"))
    for number, source in enumerate(reply.sources, 1):
        line = (
            Text(f"{number:>2}. ", "dim")
            + Text(one_line(source.title))
            + Text(f"  {one_line(source.url)}", "cyan")
        )
        show(line, soft_wrap=True)


def _as_dict(reply: Reply) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "answer": reply.answer,
        "sources": [asdict(source) for source in reply.sources],
        "searched": reply.searched,
        "partial": reply.partial,
        "remembered": reply.remembered,
        "model": reply.model,
        "usage": asdict(reply.usage),
    }
    if reply.value is None:
        return fields
    return fields | {"value": reply.value}


def _tell_usage(reply: Reply) -> None:
    """One line on stderr, in every form of the answer."""
    used = reply.usage
    if reply.remembered:
        line = "kept from before; it cost nothing"
    else:
        cached = ""
        if used.cached_tokens:
            cached = f" ({used.cached_tokens} more from the cache)"
        searches = f"{used.searches} search{'' if used.searches == 1 else 'es'}"
        calls = f"{used.calls} call{'' if used.calls == 1 else 's'}"
        line = f"{calls}, {searches}, {used.input_tokens} tokens in{cached}, {used.output_tokens} out, {used.usd:.4f} USD"
    sys.stdout.flush()
    sys.stderr.write(f"{reply.model}: {line}\n")


def _planned(progress: Progress) -> str:
    if not progress.planned:
        return "The answer is kept from before; asking costs nothing."
    return f"Asking costs at most {progress.worst_usd:.4f} USD."


def _failure(trouble: Trouble) -> WebquarryError:
    kind = _KINDS.get(trouble.code, ProviderFailure)
    if trouble.retryable:
        action = "Try again."
    else:
        action = _CURES.get(trouble.code, "See docs/ask.md for what can be set.")
    return kind(trouble.message, retryable=trouble.retryable, suggested_action=action)
