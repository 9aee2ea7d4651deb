"""``gpu2ascend doctor``: whether a machine is ready for training on NPUs, and what a log says went wrong."""
