"""What a file holds: its encoding, its syntax, its cells, and the Python in it."""
