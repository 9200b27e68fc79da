import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.context import ContextLimits
from webquarry.read.main_content.lifts import Array, Ints

FILLED: tuple[str, ...]

def fill_context(
    matrix: Array,
    logits: Array,
    chances: Array,
    words: Array,
    is_paragraph: NDArray[np.int8],
    boxes: list[int],
    table: Ints,
    limits: ContextLimits,
) -> float: ...
