"""Each process gets its own share of the data: the loaders, the loops over them, and the epochs."""
