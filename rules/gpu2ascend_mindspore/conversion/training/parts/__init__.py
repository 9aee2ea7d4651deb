"""What training steps are made of: calls, losses, statements that may move, clipping, sums of gradients."""
