"""The code of models: which functions compute in a forward pass, and what is a tensor in them."""
