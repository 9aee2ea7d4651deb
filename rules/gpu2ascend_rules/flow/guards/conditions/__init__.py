"""What a condition asks: the whole of it, a release of torch, where a checkpoint is loaded."""
