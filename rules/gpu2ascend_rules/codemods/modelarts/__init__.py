"""Paths on ModelArts: each path that a call is given goes through a manager that finds its files."""

PACKAGE = "ascend_modelarts_function"
"""The package that a project gets; it is written beside the migrated code."""
MANAGER = "ModelArtsPathManager"
