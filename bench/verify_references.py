"""References for the scorer of verification: a JSON line with `id`, `bibtex` (or `text`, `fields`)
and `registry` in, one with `verdict`, `fields` and `status` out.

    python bench/verify_references.py [--form bibtex|text|csl|doi]

Every index is asked at the registry of the line, which stands in for all of them: without pauses,
since nobody has to be spared, and without a cache, so that every request counts. Runs until its
input ends. `answer_reference` is what `bench/verify_worker.py` calls.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools.research.check_citations import check_citations

HOSTS = {
    "crossref": "api.crossref.org",
    "openalex": "api.openalex.org",
    "datacite": "api.datacite.org",
    "arxiv": "export.arxiv.org",
    "dblp": "dblp.org",
    "semanticscholar": "api.semanticscholar.org",
    "pubmed": "eutils.ncbi.nlm.nih.gov",
    "doi": "doi.org",
    "openlibrary": "openlibrary.org",
    "wayback": "archive.org",
}
_SECONDS = 2.0  # for one request to a stand-in


class ReferenceWorker:
    """Answers lines, with one toolkit for each registry."""

    def __init__(self, form: str = "bibtex") -> None:
        self._form = form
        self._runner = asyncio.Runner()
        self._opened = AsyncExitStack()
        self._kits: dict[str, Toolkit] = {}

    def answer_reference(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """The line that goes out for one that came in."""
        return self._runner.run(self._answer(item))

    def close(self) -> None:
        self._runner.run(self._opened.aclose())
        self._runner.close()

    async def _answer(self, item: Mapping[str, Any]) -> dict[str, Any]:
        kit = await self._open(str(item["registry"]))
        reference = _pick_form(item, self._form)
        answer = await check_citations.call(kit, {"references": [reference]})
        checked = answer.as_dict()["references"][0]
        differing = [one["field"] for one in checked["fields"] if one["agrees"] == "no"]
        return {
            "id": item["id"],
            "verdict": checked["verdict"],
            "fields": differing,
            "status": checked["status"],
            "reason": checked["reason"],
            "checks": checked["fields"],
            "exists": checked["exists"],
        }

    async def _open(self, registry: str) -> Toolkit:
        if registry in self._kits:
            return self._kits[registry]
        folder = Path(tempfile.mkdtemp(prefix="verify-"))
        settings = Settings(
            origins={name: f"{registry.rstrip('/')}/{host}" for name, host in HOSTS.items()},
            reference_indexes=sorted(HOSTS),
            cache=False,
            state_folder=folder,
            academic_timeout_seconds=_SECONDS,
            timeout_seconds=2 * _SECONDS,
            connect_timeout_seconds=1.0,
            retries=0,
            host_requests_per_second=1000,
        )
        kit = await self._opened.enter_async_context(Toolkit.open(settings, {}))
        for service in kit.citations.services.all():
            service.min_interval_seconds = 0.0
        self._kits[registry] = kit
        return kit


def _pick_form(item: Mapping[str, Any], form: str) -> Any:
    fields = item["fields"]
    if form == "doi":
        return fields.get("doi") or item["bibtex"]
    if form == "csl":
        names = [name.strip() for name in fields.get("author", "").split(" and ")]
        return {
            "title": fields["title"],
            "author": [{"name": name} for name in names],
            "issued": {"date-parts": [[fields.get("year", "")]]},
            "container-title": fields.get("booktitle") or fields.get("journal") or "",
            **{name.upper(): fields[name] for name in ("doi", "isbn", "url") if name in fields},
        }
    return item[form]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--form", default="bibtex", choices=["bibtex", "text", "csl", "doi"])
    worker = ReferenceWorker(parser.parse_args().form)
    for line in sys.stdin:
        answer = worker.answer_reference(json.loads(line))
        print(json.dumps(answer, ensure_ascii=False), flush=True)
    worker.close()


if __name__ == "__main__":
    main()
