from webquarry.read.main_content.context import ContextLimits
from webquarry.read.main_content.lifts import Array, Ints
from webquarry.read.main_content.rules.threshold import ThresholdLimits

FILLED: tuple[str, ...]

def find_threshold(chances: Array, words: Array, limits: ThresholdLimits) -> float: ...
def fill_context(
    matrix: Array,
    features: Array,
    chances: Array,
    words: Array,
    boxes: list[int],
    table: Ints,
    limits: ContextLimits,
) -> None: ...
