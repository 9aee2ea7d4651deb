"""MS0xx: a file of PyTorch becomes one of MindSpore as a whole, or stays as it is."""
