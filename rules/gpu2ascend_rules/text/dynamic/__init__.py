"""Modules that code imports by calls, and objects that stand for modules."""
