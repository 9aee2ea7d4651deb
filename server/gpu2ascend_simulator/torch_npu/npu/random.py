"""Random state of the devices."""

from torch_npu._implementation import random_state
from torch_npu._surface import publish

publish(__name__, random_state)
