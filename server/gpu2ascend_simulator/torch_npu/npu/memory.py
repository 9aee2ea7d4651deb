"""Memory of the devices."""

from torch_npu._implementation import memory_api
from torch_npu._surface import publish

publish(__name__, memory_api)
