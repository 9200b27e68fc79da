from webquarry._read.main_content.arrays.buffers import Rows

class Forest:
    """Trees over the rows of a matrix."""

    def __init__(self, features: Rows, borders: Rows, leaves: Rows) -> None: ...
    def sum_leaves(self, rows: Rows, sums: Rows) -> None:
        """Add to the sums, one a block, the leaf of every tree; `rows` has a row a feature and a
        column a block.
        """
    def find_chances(self, rows: Rows, scale: float, bias: float, chances: Rows) -> None: ...

class Layers:
    """A hidden layer and a straight sum."""

    def __init__(
        self,
        middle: Rows,
        scale: Rows,
        weights: Rows,
        offsets: Rows,
        outputs: Rows,
        straight: Rows,
        wide: int,
        farthest: float,
    ) -> None: ...
    def judge(
        self, matrix: Rows, context: Rows, rows: list[int], bias: float, total: Rows
    ) -> None: ...

def blend_chances(
    first: Rows,
    second: Rows,
    net: Rows,
    second_share: float,
    net_share: float,
    sure: float,
    both: Rows,
) -> None: ...
