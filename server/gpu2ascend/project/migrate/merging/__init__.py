"""What an update says of its result."""
