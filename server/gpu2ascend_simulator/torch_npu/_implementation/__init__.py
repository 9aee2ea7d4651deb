"""What the public modules show, free to use any name."""
