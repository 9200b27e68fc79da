"""An agent in five lines: an OpenAI model by the Responses API, and every tool on this machine.

pip install webquarry openai
python examples/openai_loop.py "What is the weather in Oslo?"
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import webquarry


async def ask(client: Any, host: webquarry.ToolHost, question: str) -> Any:
    """Let the model call tools until it has an answer; gives its last response."""
    items: list[Any] = [{"role": "user", "content": question}]
    while True:
        response = await client.responses.create(
            model="gpt-6.1-terra", tools=host.for_openai(strict=True), input=items
        )
        results = await host.openai_results(response)
        if not results:
            return response
        items += [*response.output, *results]


async def main() -> None:
    import openai

    response = await ask(openai.AsyncOpenAI(), await webquarry.ToolHost.adiscover(), sys.argv[1])
    sys.stdout.write(response.output_text + "\n")


if __name__ == "__main__":
    asyncio.run(main())
