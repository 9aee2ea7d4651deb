"""What tensors, modules and storages gain."""
