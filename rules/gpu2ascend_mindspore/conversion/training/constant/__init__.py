"""What is a constant where gradients are taken."""
