"""`webquarry demo`: starts the walkthrough."""

from __future__ import annotations

from webquarry.surfaces.terminal import command_output


def demo() -> None:
    """Search, read, cite and research on a recorded web: no keys, no internet."""
    with command_output(False) as output:
        from webquarry.cli.demo.walkthrough import run_demo
        from webquarry.surfaces.bridge import bridge

        bridge.run(run_demo(output.console))
