"""The requests and notifications that the server handles, one module or package each.

A module with ``register(server)`` is listed in :mod:`gpu2ascend.lsp.startup.loading`, which calls it.
"""
