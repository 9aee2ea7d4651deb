"""Between the protocol's values and ours: ranges and columns, URIs and paths, objects and JSON."""
