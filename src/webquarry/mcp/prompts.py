"""The prompts of the research sets (`data/mcp/prompts.toml`), and completion of their arguments.

They name no tool, so that they fit any tool set. Arguments called `lens` and `provider` complete to
the names of lenses and providers.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry.mcp.protocol import (
    INVALID_PARAMS,
    Message,
    ProtocolError,
    invalid_params,
    text_block,
)

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_MAX_VALUES = 100  # the limit of the protocol for one completion


@cache
def load_prompts() -> dict[str, Any]:
    """The prompts by name."""
    path = Path(__file__).parents[1] / "data" / "mcp" / "prompts.toml"
    return tomllib.loads(path.read_text("utf-8"))


def describe_prompts() -> list[Message]:
    """The prompts as `prompts/list` shows them."""
    prompts = []
    for name, prompt in load_prompts().items():
        described = {"name": name, "title": prompt["title"], "description": prompt["description"]}
        fields = ("name", "description", "required")
        arguments = [{key: one[key] for key in fields} for one in prompt["arguments"]]
        prompts.append({**described, "arguments": arguments})
    return prompts


def get_prompt(name: str, arguments: dict[str, Any]) -> Message:
    """The result of `prompts/get`."""
    prompts = load_prompts()
    if name not in prompts:
        known = {"known": list(prompts)}
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}", known)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise invalid_params()
    prompt = prompts[name]
    values = {key: value.strip() for key, value in arguments.items() if value.strip()}
    missing = []
    paragraphs = [prompt["text"]]
    for argument in prompt["arguments"]:
        if argument["name"] in values:
            paragraphs.append(argument.get("sentence", ""))
        elif argument["required"]:
            missing.append(argument["name"])
    if missing:
        problem = f"The argument {missing[0]!r} is missing."
        raise ProtocolError(INVALID_PARAMS, problem, {"missing": missing})
    text = "\n".join(filter(None, paragraphs)).format(**values)
    messages = [{"role": "user", "content": text_block(text)}]
    return {"description": prompt["description"], "messages": messages}


def complete(kit: Toolkit, argument: str, prefix: str) -> Message:
    """The result of `completion/complete`: names of lenses or providers with this prefix."""
    names: list[str] = []
    if argument == "lens":
        names = list(kit.lenses)
    elif argument == "provider":
        names = [provider.name for provider in kit.router.providers()]
    found = [name for name in names if name.startswith(prefix.lower())]
    values, has_more = found[:_MAX_VALUES], len(found) > _MAX_VALUES
    return {"completion": {"values": values, "total": len(found), "hasMore": has_more}}
