"""Advice about the code of models: what is slow in a forward pass or a loss."""
