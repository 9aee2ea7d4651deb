"""Training steps, and what stands around them: regions without gradients, flags."""
