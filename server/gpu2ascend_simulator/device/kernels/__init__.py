"""The operators of which torch expects kernels of the device itself."""
