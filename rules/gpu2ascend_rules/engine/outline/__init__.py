"""What is known of a file before any tree: its words, and what a handler needs of them to find anything."""
