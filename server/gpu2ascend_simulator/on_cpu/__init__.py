"""Devices that are mapped to the CPU, where no simulated one is wanted or possible.

``cuda`` serves an original whose numbers are compared. ``library`` serves a torch older than 2.10, on which
no device can be made in Python: tensors stay those of the CPU, so that much is not seen (``docs/verify.md``).
"""
