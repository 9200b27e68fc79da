"""The prompts of the research sets (`data/mcp/prompts.toml`), and completion of their arguments.

They name no tool, so that they fit any tool set. Arguments `lens` and `provider` can be completed.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry.mcp import protocol
from webquarry.mcp.protocol import INVALID_PARAMS, Message, ProtocolError, text_block

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
    prompt = _find_prompt(name)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise protocol.invalid_params("a value of params.arguments")
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


def complete(kit: Toolkit, reference: Message, argument: Message) -> Message:
    """The result of `completion/complete`: names of lenses or providers with a prefix."""
    kind, name, prefix = reference.get("type"), argument.get("name"), argument.get("value")
    target = reference.get("uri" if kind == "ref/resource" else "name")
    is_valid = kind in ("ref/prompt", "ref/resource") and isinstance(target, str)
    if not (is_valid and isinstance(name, str) and isinstance(prefix, str)):
        raise protocol.invalid_params("a member of params.ref or params.argument")
    names: list[str] = []
    if name == "lens":
        names = list(kit.lenses)
    elif name == "provider":
        names = [provider.name for provider in kit.router.providers()]
    found = [name for name in names if name.startswith(prefix.lower())]
    values, has_more = found[:_MAX_VALUES], len(found) > _MAX_VALUES
    return {"completion": {"values": values, "total": len(found), "hasMore": has_more}}


def _find_prompt(name: Any) -> dict[str, Any]:
    prompts = load_prompts()
    if name not in prompts:
        known = {"known": list(prompts)}
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}", known)
    prompt: dict[str, Any] = prompts[name]
    return prompt
