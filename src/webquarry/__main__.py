"""The command line: `webquarry`, or `python -m webquarry`. `--version` is answered before anything
is imported.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; the exit code comes back."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from webquarry import __version__

        sys.stdout.write(f"webquarry {__version__}\n")
        return 0
    if arguments == ["mcp"]:
        # As clients start it: no flags, so nothing that would read them is loaded.
        from webquarry.surfaces.mcp.stdio import run as serve

        return serve("webquarry", "research")
    try:
        from webquarry.surfaces.cli.app import run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
