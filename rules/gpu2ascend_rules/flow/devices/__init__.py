"""Where a text that names a CUDA device ends up: one climber, and the parts that it asks."""
