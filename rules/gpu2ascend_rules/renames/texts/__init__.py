"""Edits of string literals: names of devices and back ends, and entries beside them."""
