import numpy as np
from numpy.typing import NDArray

def sum_of_leaves(
    matrix: NDArray[np.float32],
    features: NDArray[np.intp],
    borders: NDArray[np.float32],
    leaves: NDArray[np.float32],
    total: NDArray[np.float64],
) -> None:
    """Add to `total`, an entry a block, the leaf of every tree; `matrix` has a row a feature and a
    column a block.
    """

def find_chances(
    rows: NDArray[np.float64],
    features: NDArray[np.intp],
    borders: NDArray[np.float32],
    leaves: NDArray[np.float32],
    bias: float,
    chances: NDArray[np.float64],
) -> None: ...
def blend_chances(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    net: NDArray[np.float64],
    second_share: float,
    net_share: float,
    sure: float,
    both: NDArray[np.float64],
) -> None: ...
def sum_of_units(
    inputs: NDArray[np.float32],
    weights: NDArray[np.float32],
    offsets: NDArray[np.float32],
    outputs: NDArray[np.float32],
    straight: NDArray[np.float32],
    total: NDArray[np.float64],
) -> None:
    """Add to `total`, an entry a block, what a net says without its bias; `inputs` has a column a
    block.
    """
