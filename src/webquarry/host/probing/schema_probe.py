"""Asking executables what they are, each once, many at a time, and only where nobody knows already.

Executables go in, probes come out. What a tool said when it was last asked is used while it is the
same; whoever changes a tool has it asked anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from webquarry.host.models import Executable
from webquarry.host.probe import Probe, judge_schema, probe
from webquarry.host.probing.kept import Fingerprint, KeptDescription, KeptDescriptions
from webquarry.host.start_limiter import StartLimiter
from webquarry.settings import Settings


class SchemaProbe:
    """Asks for one search for tools."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._limiter = StartLimiter()
        self._kept = KeptDescriptions.of(settings, environ)

    async def ask(self, executable: Executable, anew: bool = False) -> Probe:
        """What the executable is, by what is kept or by its own word; `anew` always asks."""
        fingerprint = await asyncio.to_thread(self._kept.identify, executable)
        if not anew:
            known = await asyncio.to_thread(self._recall, executable, fingerprint)
            if known is not None and known.schema is not None:
                return known
        async with self._limiter.admit() as on_start:
            answer = await probe(executable, self._settings, self._environ, on_start)
        kept = KeptDescription(answer.output, answer.reason)
        await asyncio.to_thread(self._kept.save, fingerprint, kept)
        return answer

    async def recall(self, executable: Executable) -> Probe | None:
        """What is kept of the executable as it is now, its failure too; None when nothing is."""
        fingerprint = await asyncio.to_thread(self._kept.identify, executable)
        return await asyncio.to_thread(self._recall, executable, fingerprint)

    def _recall(self, executable: Executable, fingerprint: Fingerprint | None) -> Probe | None:
        kept = self._kept.load(fingerprint)
        if kept is None:
            return None
        if kept.reason:
            return Probe(None, reason=kept.reason)
        # Judged as if it had just been printed: a damaged answer is none.
        judged = judge_schema(
            kept.output, executable.path.name, self._settings.tool_schema_max_bytes
        )
        if judged.schema is None:
            return None
        return judged
