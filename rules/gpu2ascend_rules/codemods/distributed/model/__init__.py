"""The model that several processes train: where it is, how it is wrapped, and what goes past the wrapper."""
