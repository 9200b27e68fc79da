from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.boxes import Boxes
from webquarry.read.main_content.features import FeatureLimits
from webquarry.read.main_content.lifts import Array

def fill_features(
    matrix: Array, flow: Flow, counts: Array, boxes: Boxes, limits: FeatureLimits
) -> None: ...
