"""The processes themselves: how a program joins its group, and what only one of them does."""
