"""How a step is set: learning rates, and whether its models are in training."""
