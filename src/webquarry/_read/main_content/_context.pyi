from webquarry._read.main_content.buffers import Rows
from webquarry._read.main_content.context import ContextLimits
from webquarry._read.main_content.threshold import ThresholdLimits

FILLED: tuple[str, ...]

def find_threshold(probabilities: Rows, words: Rows, limits: ThresholdLimits) -> float: ...
def find_best_cut(
    probabilities: list[float], words: list[float], levels: list[float], together: float
) -> float: ...
def fill_context(
    matrix: Rows,
    features: Rows,
    probabilities: Rows,
    words: Rows,
    boxes: list[int],
    table: Rows,
    limits: ContextLimits,
) -> None: ...
