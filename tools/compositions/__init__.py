"""Which operators PyTorch's functions and classes are made of, as PyTorch itself shows when they run."""
