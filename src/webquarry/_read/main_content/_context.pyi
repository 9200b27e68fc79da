from webquarry._read.main_content.arrays.buffers import Rows
from webquarry._read.main_content.context import ContextLimits
from webquarry._read.main_content.rules.threshold import ThresholdLimits

FILLED: tuple[str, ...]

def find_threshold(chances: Rows, words: Rows, limits: ThresholdLimits) -> float: ...
def find_best_cut(
    chances: list[float], words: list[float], levels: list[float], together: float
) -> float: ...
def fill_context(
    matrix: Rows,
    features: Rows,
    chances: Rows,
    words: Rows,
    boxes: list[int],
    table: Rows,
    limits: ContextLimits,
) -> None: ...
