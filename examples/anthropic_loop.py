"""An agent in five lines: Claude, and every tool on this machine.

pip install webquarry anthropic
python examples/anthropic_loop.py "What is the weather in Oslo?"
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import webquarry


async def ask(client: Any, host: webquarry.ToolHost, question: str) -> Any:
    """Let the model call tools until it has an answer; gives its last message."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        message = await client.messages.create(
            model="claude-opus-5-5", max_tokens=4096, tools=host.for_anthropic(), messages=messages
        )
        results = await host.anthropic_results(message)
        if not results:
            return message
        messages += [{"role": "assistant", "content": message.content}, *results]


async def main() -> None:
    import anthropic

    message = await ask(
        anthropic.AsyncAnthropic(), await webquarry.ToolHost.adiscover(), sys.argv[1]
    )
    sys.stdout.write(
        "".join(block.text for block in message.content if block.type == "text") + "\n"
    )


if __name__ == "__main__":
    asyncio.run(main())
