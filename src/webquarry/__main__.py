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
    if arguments[:1] == ["mcp"]:
        from webquarry.surfaces.mcp.front.light_arguments import read_arguments

        served = read_arguments(arguments)
        if served is not None:  # as clients start it: nothing that reads other flags is loaded
            from webquarry.surfaces.mcp.stdio import run as serve

            name, set_name, text = served
            return serve(name, set_name, False, text)
    try:
        from webquarry.surfaces.cli.app import run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
