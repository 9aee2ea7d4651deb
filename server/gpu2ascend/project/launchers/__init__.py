"""The scripts that start a training on one device or many, and the table of ranks that some of them need."""
