"""Mixed precision."""

from torch_npu._implementation import mixed_precision
from torch_npu._surface import publish

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler

publish(__name__, mixed_precision, keep=("autocast_mode", "grad_scaler"))
