"""AMP transplant: from ``torch.cuda.amp`` to ``apex.amp``, for PyTorch 1.5.0."""
