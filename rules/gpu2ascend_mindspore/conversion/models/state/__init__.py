"""What a module holds, and how it changes: parameters, buffers, and containers that the helper file has."""
