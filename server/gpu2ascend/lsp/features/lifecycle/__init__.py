"""A session from ``initialize`` to ``shutdown``: its shared state, folders, settings and watched files."""
