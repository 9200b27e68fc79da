"""What every client asks: each tool of a set once, with arguments that the recorded web knows.

In the order of the calls. `{session}` stands for the research session that the first call has
begun.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

SESSION = "{session}"
TOPIC = "tidal energy storage"
CALLS: dict[str, dict[str, Json]] = {
    "research": {
        "sequential_search": {
            "searchStep": "Who stores it?",
            "stepNumber": 1,
            "researchGoal": "Tidal storage",
        },
        "web_search": {
            "query": TOPIC,
            "num_results": 3,
            "claim": "Tides store energy.",
            "sessionId": SESSION,
        },
        "scrape_page": {
            "url": "https://tidelines.example/2026/09/storing-the-tide",
            "sessionId": SESSION,
        },
        "search_and_scrape": {"query": TOPIC, "max_length_per_source": 4000, "sessionId": SESSION},
        "academic_search": {"query": TOPIC, "num_results": 2, "open_access": True},
        "patent_search": {
            "query": "tidal turbine folding blades",
            "search_type": "landscape",
            "num_results": 3,
        },
        "instant_answer": {"query": TOPIC},
        "get_research_session": {"sessionId": SESSION},
        "research_export": {"sessionId": SESSION, "format": "json", "verify_links": True},
        "format_bibliography": {"sessionId": SESSION, "style": "bibtex"},
        "check_quotes": {
            "quotes": ["Store the tide where it arrives"],
            "sources": ["https://tidelines.example/2026/09/storing-the-tide"],
        },
        "check_citations": {"references": ["10.5555/esas.2024.31"]},
        "show_research": {
            "sessionId": SESSION,
            "url": "https://tidelines.example/2026/09/storing-the-tide",
        },
    },
    "duckduckgo": {
        "web_search": {"query": TOPIC, "max_results": 3},
        "instant_answer": {"query": TOPIC},
    },
}
FOR_PEOPLE = frozenset({"show_research"})  # tools whose text is to be read
WRONG: tuple[str, Json] = ("web_search", {})  # `query` is missing


def find_unmatched(toolset: str, served: Iterable[str]) -> list[str]:
    """The tools of a set that nobody has written arguments for, and the other way round."""
    return sorted(set(served) ^ set(CALLS[toolset]))


def fill_session(arguments: Json, session: str) -> Json:
    """The arguments with the session in its place."""
    filled = dict(arguments)
    for key, value in arguments.items():
        if value == SESSION:
            filled[key] = session
    return filled
