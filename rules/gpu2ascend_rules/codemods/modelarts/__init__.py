"""Paths on ModelArts: each path that a call is given goes through a manager that finds its files."""

MANAGER = "ModelArtsPathManager"
