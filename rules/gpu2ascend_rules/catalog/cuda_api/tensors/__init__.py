"""NPU11x: methods and attributes of tensors and modules."""
