"""Generate docs/settings.md from `webquarry.settings`: one row per setting."""

from __future__ import annotations

from webquarry import __version__
from webquarry.settings import Setting, Settings, default_text

HEAD = """# Settings

<!-- Generated from src/webquarry/settings.py by scripts/generate.py; edit the class, then run: make generate -->

Every setting is an environment variable, read when a command starts or a toolkit is opened. Where several names are
given the first one that is set counts. Booleans accept `1`/`0`, `true`/`false`, `yes`/`no` and `on`/`off`. A value that is
not allowed is an error that names the variable; unknown and former names are
named once on stderr. In Python the same fields are the arguments of `webquarry.Settings`, which raises `webquarry.BadSetting`.

| Variable | Default | Value | Description |
| --- | --- | --- | --- |
"""

FOOT = """
Credentials are not settings: `webquarry doctor --all` shows which were found and where, and the README lists the places. The
credentials shared by several servers, `WEBQUARRY_REDIS_URL` (or `REDIS_URL`) and the store key, are described in
[teams.md](teams.md).
"""


def settings_table() -> str:
    """Return the text of the page."""
    rows = [_row(setting) for setting in Settings.fields().values() if not setting.is_constant]
    return HEAD + "\n".join(rows) + "\n" + FOOT


def _row(setting: Setting) -> str:
    variables = setting.variables or ["WEBQUARRY_<PROVIDER>_URL"]
    default = default_text(setting.default).replace(__version__, "<version>")
    cells = (
        ", ".join(f"`{variable}`" for variable in variables),
        f"`{default}`" if default else "none",
        setting.takes,
        setting.description,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
