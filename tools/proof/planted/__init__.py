"""Mistakes planted in public projects: each is found by ``verify`` in its line, and explained."""
