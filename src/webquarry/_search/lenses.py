"""Lenses: named sets of domains that a search is limited to.

A lens is a JSON file (name, description, domains, and optionally a Google engine `cx` and a
`routing`). Ours are in data/lenses; those of the user, from the folder WEBQUARRY_LENSES, replace
ours of the same name. An invalid file is an error when the lenses are loaded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from webquarry._search.domains import normalise
from webquarry.credentials import expand_home
from webquarry.errors import BadInput
from webquarry.store.cache import key_of


class Lens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named set of domains."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    description: Annotated[str, Meta(min_length=1)]
    domains: Annotated[list[str], Meta(min_length=1)]
    cx: Annotated[str, Meta(pattern=r"^[0-9A-Za-z:_-]+$")] | None = None
    routing: Annotated[list[str], Meta(min_length=1)] | None = None

    @classmethod
    def parse(cls, fields: Any) -> Lens:
        """Build a lens from its JSON values. Raises ValueError or BadInput."""
        lens = msgspec.convert(fields, cls)
        return msgspec.structs.replace(lens, domains=[normalise(entry) for entry in lens.domains])

    @property
    def asks_all(self) -> bool:
        """Whether all configured providers are asked at once."""
        return self.routing == ["all"]

    @property
    def fingerprint(self) -> str:
        """A hash of the content, for cache keys."""
        return key_of("lens", 1, msgspec.structs.asdict(self))[:16]


def load_lenses(own: Path | None = None) -> dict[str, Lens]:
    """Return every lens by name; those in the folder `own` replace ours."""
    lenses = _read_folder(Path(__file__).parents[1] / "data" / "lenses")
    if own is not None:
        folder = expand_home(own)
        if not folder.is_dir():
            raise BadInput(
                f"The folder of lenses {own} is not there.",
                suggested_action="Make it, or unset WEBQUARRY_LENSES.",
            )
        lenses |= _read_folder(folder)
    return dict(sorted(lenses.items()))


def pick_lens(lenses: dict[str, Lens], name: str) -> Lens:
    """Return one lens or raise `BadInput`."""
    if name not in lenses:
        raise BadInput(
            f"There is no lens {name!r}.", suggested_action=f"Use one of: {', '.join(lenses)}."
        )
    return lenses[name]


def _read_folder(folder: Path) -> dict[str, Lens]:
    """Return the lenses of a folder by name; raise BadInput for the first invalid file."""
    lenses = {}
    for file in sorted(folder.glob("*.json")):
        try:
            lens = Lens.parse(json.loads(file.read_text("utf-8")))
            reason = f"it holds the lens {lens.name!r}, so it must be called {lens.name}.json"
            if file.name == f"{lens.name}.json":
                lenses[lens.name] = lens
                continue
        except (msgspec.ValidationError, BadInput) as error:
            reason = str(error)
        except (OSError, ValueError, RecursionError) as error:
            reason = f"it is not readable JSON ({type(error).__name__})"
        raise BadInput(
            f"The lens file {file.name} is not usable: {reason}.",
            suggested_action="Correct or remove the file; docs/search.md shows what a lens looks "
            "like.",
        )
    return lenses
