"""A small image classifier for synthetic shapes."""
