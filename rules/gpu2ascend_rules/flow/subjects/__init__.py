"""The subjects that the tracer follows: a table each of the places that use such a text, and its names."""
