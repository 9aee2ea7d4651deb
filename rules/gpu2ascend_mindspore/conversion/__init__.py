"""A file of PyTorch as one of MindSpore: all of it, or nothing.

Each module finds what one kind of place becomes (:class:`.use.Use`): edits, or why there are none. Where one
use has none the file stays as it is, for half of it would not run.
"""
