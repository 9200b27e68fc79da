from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.boxes import Boxes
from webquarry._read.main_content.buffers import Rows
from webquarry._read.main_content.features import FeatureLimits

def fill_features(
    matrix: Rows, flow: Flow, counts: Rows, boxes: Boxes, limits: FeatureLimits
) -> None: ...
