# Importing pathlib would cost a tenth of the start of a server.
# ruff: noqa: PTH118, PTH123
"""The settings, as far as they are needed before anything heavy is imported.

A value that certainly fits is taken as good; where one may not, or where something is to be opened
with it at the start, all settings are read the heavy way at once. What fits is generated
(data/mcp/front/settings.json) from the class of the settings. Nothing heavy is imported here.
"""

from __future__ import annotations

import json
import os
import re

from webquarry.surfaces.mcp.front.prepared import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_WORDS = {"1": True, "true": True, "0": False, "false": False}
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,6})?", re.ASCII)
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)


class LightSettings:
    """The settings that say how a server starts."""

    def __init__(self, mcp_front: bool, mcp_warm: bool) -> None:
        self.mcp_front = mcp_front
        self.mcp_warm = mcp_warm


def read_light(environ: Mapping[str, str]) -> LightSettings | None:
    """How a server starts; None where the settings are to be read the heavy way first."""
    try:
        with open(os.path.join(FOLDER, "settings.json"), encoding="utf-8") as file:
            rules = json.load(file)
    except FileNotFoundError:
        return None
    for variable in environ.keys() & rules.keys():
        value = environ[variable].strip()
        if value and not fits(value, rules[variable]):
            return None
    values = {}
    for field in ("mcp_front", "mcp_warm"):
        variable = f"WEBQUARRY_{field.upper()}"
        word = environ.get(variable, "").strip() or rules[variable]["default"]
        values[field] = _WORDS[word]
    return LightSettings(**values)


def fits(value: str, rule: dict[str, Any]) -> bool:
    """Whether a value is certainly what a setting takes."""
    kind = rule["kind"]
    if kind == "any":
        return True
    if kind == "word":
        return value in rule["words"]
    pattern = _WHOLE if kind == "whole" else _NUMBER
    if kind not in ("whole", "number") or not pattern.fullmatch(value):
        return False
    number = float(value)
    return bool(rule["above"] < number and rule["least"] <= number <= rule["most"])
