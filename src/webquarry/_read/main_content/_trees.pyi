from webquarry._read.main_content.buffers import Rows

class Forest:
    """Trees over the rows of a matrix."""

    def __init__(self, features: Rows, borders: Rows, leaves: Rows) -> None: ...
    def sum_leaves(self, rows: Rows, sums: Rows) -> None:
        """Add the leaf of every tree to the sum of each block; `rows` has a row per feature and a
        column per block.
        """
    def predict(self, rows: Rows, scale: float, bias: float, probabilities: Rows) -> None: ...
