"""Memory of the devices: blocks of the host's, tensors over them, the books, storages, pinning."""
