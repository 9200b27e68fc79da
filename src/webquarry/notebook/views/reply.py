"""What a model answered -> its words, the sources as links, and what it cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from webquarry.notebook.inline import Link
from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.ask.models import ModelReply


def build_view(reply: ModelReply) -> View:
    view = View()
    if reply.error is not None:
        view.add_note(f"{reply.error.code}: {reply.error.message}")
    elif reply.value is not None:
        value = json.dumps(reply.value, ensure_ascii=False, indent=2)
        view.add_verbatim(value)
    elif reply.answer is not None:
        view.add_answer(reply.answer)
    else:
        view.add_note("Nobody was asked.")
    if reply.partial:
        view.add_note("The answer was cut; raise max_tokens.")
    if reply.search_failed:
        view.add_note(f"There was no search: {reply.search_failed}")
    if reply.sources:
        view.add_list([[[Link(one.title or one.url, one.url)], [one.url]] for one in reply.sources])
    view.add_facts([reply.model, *tell_usage(reply)])
    return view


def tell_usage(reply: ModelReply) -> list[str]:
    """What an answer took, in a few words."""
    usage = reply.usage
    if reply.remembered:
        return ["kept from before; it cost nothing"]
    if not usage.calls:
        return []
    told = [f"{usage.calls} calls", f"{usage.searches} searches"]
    told.append(f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out")
    told.append(f"{usage.usd:.4f} USD")
    if usage.unpriced_calls:
        told.append("no price is known for the model")
    return told
