"""What a value is, as far as its file shows: kinds, classes of PyTorch, re-exports."""
