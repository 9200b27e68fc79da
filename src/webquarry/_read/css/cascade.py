"""Which of many declarations about one element counts: layers, shorthands, importance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.shorthands import apply_declarations

_LONE_LAYER = "\0"  # no name of a page's own


@dataclass(eq=False, slots=True)
class Layer:
    """A layer of the cascade. Those inside it come before its own rules."""

    inner: dict[str, Layer] = field(default_factory=dict)
    rank: int = 0


class Layers:
    """The layers of a page, in the order in which they are first named."""

    def __init__(self) -> None:
        self._root = Layer()
        self._lone = 0

    def declare(self, around: Layer | None, name: str) -> Layer:
        """The layer of a name, `a.b` being b in a, inside another one; without a name, a new
        one.
        """
        layer = around or self._root
        if not name:
            self._lone += 1
            name = f"{_LONE_LAYER}{self._lone}"
        for step in name.split("."):
            layer = layer.inner.setdefault(step.strip(), Layer())
        return layer

    def number(self) -> None:
        """Give every layer its rank; a higher one wins. Rules in none have the highest."""
        rank = 0
        open_layers: list[tuple[Layer, bool]] = [(self._root, False)]
        while open_layers:
            layer, is_done = open_layers.pop()
            if is_done:
                rank += 1
                layer.rank = rank
                continue
            open_layers.append((layer, True))
            for inner in reversed(layer.inner.values()):
                open_layers.append((inner, False))

    def rank_of(self, layer: Layer | None) -> int:
        """The rank of the layer of a rule."""
        return (layer or self._root).rank


def merge(declarations: Iterable[tuple[int, Declarations]]) -> Declarations:
    """What counts of declarations, each with the rank of its layer, in the order of their weight.

    `revert-layer` gives a property back to the layers below.
    """
    style: Declarations = {}
    below: Declarations = {}
    layer = 0
    for rank, later in declarations:
        if rank != layer:
            layer = rank
            below = dict(style)
        apply_declarations(style, later)
        if "revert-layer" in later.values():
            for name, value in later.items():
                if value == "revert-layer":
                    style.pop(name)
                    if name in below:
                        style[name] = below[name]
    return style
