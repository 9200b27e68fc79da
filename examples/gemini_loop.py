"""An agent in five lines: Gemini, and every tool on this machine.

pip install webquarry google-genai
python examples/gemini_loop.py "What is the weather in Oslo?"
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import webquarry


async def ask(client: Any, host: webquarry.ToolHost, question: str) -> Any:
    """Let the model call tools until it has an answer; gives its last response."""
    contents: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
    while True:
        response = await client.aio.models.generate_content(
            model="gemini-3.8-flash", contents=contents, config={"tools": host.for_gemini()}
        )
        results = await host.gemini_results(response)
        if not results:
            return response
        contents += [response.candidates[0].content, *results]


async def main() -> None:
    from google import genai

    response = await ask(genai.Client(), await webquarry.ToolHost.adiscover(), sys.argv[1])
    sys.stdout.write((response.text or "") + "\n")


if __name__ == "__main__":
    asyncio.run(main())
