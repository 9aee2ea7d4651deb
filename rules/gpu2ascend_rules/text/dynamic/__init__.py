"""Modules that code imports by calls, and objects that mean modules."""
